"""What we sign for STP, byte for byte what PyPI `stpmex` signs; and the real service's recorded answers, read by us."""

import json
import subprocess
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml
from clabe import BANKS
from django.conf import settings
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from accounts.base.ids import new_id
from accounts.base.wire import loads
from gateway.methods.spei.clabe import clabe
from gateway.payouts.rail import PayoutOrder, PayoutResult
from gateway.providers.client import Answer, shaped
from gateway.providers.stp.credentials import StpCredentials
from gateway.providers.stp.provider import StpProvider
from gateway.providers.stp.shapes import ReceivedOrder, Result
from gateway.providers.stp.transfers import State, state_of
from tests.support.published import PUBLISHED
from tests.support.stp.books import EMPRESA, Books
from tests.support.stp.service import PASSPHRASE, Stp, open_stp, pem

STPMEX = Path(settings.BASE_DIR) / ".tools" / "stpmex" / "bin" / "python"
WITNESS = Path(__file__).with_name("stpmex_witness.py")
RECORDED = PUBLISHED / "stp"
KNOWN = sorted(set(BANKS) & {"002", "012", "014", "021", "036", "044", "058", "072", "127", "137"})
recorded_by_others = pytest.mark.skipif(not RECORDED.exists(), reason=f"STP's recorded answers are not in {PUBLISHED}")

orders = st.builds(
    lambda bank, account, cents, name, more: PayoutOrder(
        withdrawal_id=new_id("wdr"),
        rail="SPEI",
        amount=Decimal(cents) / 100,
        currency="MXN",
        payout_amount=Decimal(cents) / 100,
        payout_currency="MXN",
        destination={"clabe": clabe(bank=bank, city="180", account=account), "beneficiaryName": name, **more},
        sender="Tienda",
        sent_times=1,
    ),
    st.sampled_from(KNOWN),
    st.integers(0, 10**11 - 1),
    st.integers(1, 10**8),
    st.text(min_size=1, max_size=100).filter(lambda text: "\0" not in text),
    st.fixed_dictionaries(
        {},
        optional={
            "concept": st.text(min_size=1, max_size=40),
            "numericReference": st.from_regex("[1-9][0-9]{0,6}", fullmatch=True),
            "beneficiaryTaxId": st.sampled_from(["SAHE800416HDFABC01", "OPM200101AB0"]),
        },
    ),
)


@pytest.fixture(scope="module")
def stp() -> Iterator[Stp]:
    with open_stp() as stp:
        yield stp


@pytest.fixture(scope="module")
def provider(stp: Stp) -> StpProvider:
    return StpProvider(StpCredentials.model_validate(stp.credentials()))


def witnessed(asked: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """The requests that stpmex would send, signed with the same key."""
    assert STPMEX.exists(), "make clients installs it"
    given = {"empresa": EMPRESA, "key": pem(), "passphrase": PASSPHRASE, "asked": asked}
    done = subprocess.run(
        [STPMEX, WITNESS], input=json.dumps(given, default=float), capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return list(json.loads(done.stdout))


def as_text(sent: dict[str, Any]) -> dict[str, str]:
    return {name: f"{value:.2f}" if name == "monto" else str(value) for name, value in sent.items()}


@examples(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(st.lists(orders, min_size=1, max_size=100))
def test_orders_are_signed_as_stpmex_signs_them(stp: Stp, provider: StpProvider, made: list[PayoutOrder]) -> None:
    """STP verifies each signature with the public key, and takes the order."""
    stp.bodies.clear()
    payout = provider.payout_rails()[0]

    answers = [payout.send(order, datetime.now(UTC)) for order in made]

    assert {one.answered for one in answers} == {PayoutResult.SENT}
    left = ("firma", "empresa")
    asked = [("order", {name: it for name, it in body.items() if name not in left}) for body in stp.bodies]
    for ours, theirs in zip(stp.bodies, witnessed(asked), strict=True):
        assert ours["firma"] == theirs["firma"]
        assert as_text(theirs) == {name: it for name, it in as_text(ours).items() if name in theirs}


def test_queries_are_signed_as_stpmex_signs_them(stp: Stp, provider: StpProvider) -> None:
    stp.bodies.clear()
    past = datetime(2026, 11, 4, 18, tzinfo=UTC)
    provider.api.sent("CR1564969083", past, past, "")
    list(provider.api.received_on(date(2020, 4, 20), past))
    list(provider.api.received(datetime.now(UTC), datetime.now(UTC)))

    asked = [("query", {name: it for name, it in body.items() if name != "firma"}) for body in stp.bodies]

    assert len(asked) >= 3
    for ours, theirs in zip(stp.bodies, witnessed(asked), strict=True):
        assert {name: str(it) for name, it in ours.items()} == {name: str(it) for name, it in theirs.items()}


def recording(name: str) -> tuple[dict[str, Any], bytes]:
    """The request and the answer of one file."""
    one = yaml.safe_load((RECORDED / f"{name}.yaml").read_text())["interactions"][0]
    body = one["request"]["body"]
    return (loads(body.encode()) if body.startswith("{") else {}), one["response"]["body"]["string"].encode()


def read(name: str) -> Result:
    return Answer(200, loads(recording(name)[1])).read(Result)


@recorded_by_others
def test_the_recorded_answers_of_the_real_service_are_read() -> None:
    order, taken = read("test_consulta_orden_por_clave_rastreo").order, read("test_registra_orden")
    assert order is not None
    assert (order.key, order.amount, order.cause, state_of(order)) == (
        "CR1564969083",
        Decimal("1.20"),
        "1",
        State.RETURNED,
    )
    assert (taken.id, taken.error) == (9349827, "")
    assert read("test_consulta_orden_sin_resultado").is_nothing_found
    assert read("test_consulta_ordenes_enviadas_con_fecha_sin_resultados").is_nothing_found


@recorded_by_others
def test_recorded_returns_of_orders_are_no_money_of_payers() -> None:
    listed = [shaped(one, ReceivedOrder) for one in read("test_consulta_ordenes_recibidas").listed if one]

    assert [(one.key, one.amount, one.kind, one.is_money) for one in listed] == [
        ("CR1564969083", Decimal("1.20"), 0, False),
        ("CR1564969084", Decimal("1.20"), 0, False),
    ]


@recorded_by_others
def test_the_recorded_balance_is_read(provider: StpProvider) -> None:
    answer = recording("test_consulta_saldo")[1]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    account = provider.credentials.model_copy(update={"base_url": f"http://127.0.0.1:{server.server_port}"})
    assert StpProvider(account).api.balance() == Decimal("10000.00")
    server.shutdown()
    server.server_close()


@recorded_by_others
def test_the_stand_in_answers_with_the_members_of_the_real_service(stp: Stp, provider: StpProvider) -> None:
    asked, _ = recording("test_registra_orden")
    books = Books()
    books.register(dict(asked, folioOrigen=asked["claveRastreo"], institucionContraparte=40072))
    books.send_back(books.sent[0])
    ours, theirs = books.find(str(asked["claveRastreo"]), None), recording("test_consulta_orden_por_clave_rastreo")[1]
    listed, recorded = books.listed(None, "R"), loads(recording("test_consulta_ordenes_recibidas")[1])

    known = {name: type(it) for name, it in loads(theirs)["resultado"]["ordenPago"].items()}
    told = ours["resultado"]["ordenPago"]
    assert set(told) - {"firma"} <= set(known)
    assert set(listed["resultado"]["lst"][0]) <= set(recorded["resultado"]["lst"][0]) | {"tipoPago"}
    assert listed["resultado"]["lst"][-1] is recorded["resultado"]["lst"][-1] is None
    assert books.find("does not exist", None) == loads(recording("test_consulta_orden_sin_resultado")[1])
    nothing = recording("test_consulta_ordenes_enviadas_con_fecha_sin_resultados")[1]
    assert books.listed("20210420", "E") == loads(nothing)
