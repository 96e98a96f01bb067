"""The service beside what others built, in turn, several times: what else the machine does favours nobody."""

import os
import secrets
import statistics
import subprocess
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import psycopg
from django.db import transaction

from accounts.base.clock import utcnow
from accounts.models import Merchant
from gateway.local import home
from gateway.local.home import CHECKOUT
from ledger.books.services import Move, Side, post, wallet
from ledger.chart import AccountKind
from tests.bench import stage
from tests.bench.results import record
from tests.bench.scale import scaled
from tests.bench.throughput import Load, warm_up
from tests.support.companies import Shop
from tests.support.stripe.stand_in import SECRET_KEY, localstripe

HERE = Path(__file__).parent
PYTHON = CHECKOUT / ".tools" / "peers" / "bin" / "python"
ORDINARY = "tests.bench.peers.ordinary"
ROUNDS, SECONDS = scaled(5, 1), scaled(4, 1)
BOOKS_ROUNDS, BOOKS_SECONDS = scaled(20, 1), 1
"""Short and many: a machine changes its pace within seconds."""
FRESH, FILLED = 300, scaled(3000, 30)
# The library that pgledger loads for it is not ours to copy: an id takes less time like this.
_ULID = """
    CREATE FUNCTION uuid_to_ulid(id uuid) RETURNS text LANGUAGE sql IMMUTABLE
    AS $$ SELECT replace(id::text, '-', '') $$
"""

Rate = Callable[[], float]


def measure(shop: Shop) -> None:
    """Payments beside an ordinary build and localstripe; one transfer after the other beside three kinds of books."""
    port = stage.free_port()
    with stage.running("web", stage.web(port), port):
        load = Load(port, shop.sandbox_key, shop.company.id)
        warm_up(load)
        _beside_an_ordinary_build(load)
        _beside_localstripe(load)
    _beside_books(shop.sandbox)


def _beside_an_ordinary_build(load: Load) -> None:
    port, key = stage.free_port(), secrets.token_hex()
    env = {"DATABASE_URL": stage.empty_database("onpay_ordinary"), "DJANGO_SETTINGS_MODULE": f"{ORDINARY}.settings"}
    with stage.running("ordinary-tables", f"-m {ORDINARY} {key}", **env) as made:
        assert made.process and made.process.wait(stage.START_TIMEOUT_S) == 0, made.log.read_text()
    web = "-m granian --interface wsgi --workers 2 --blocking-threads 4 --no-ws --log-level warning"
    with stage.running("ordinary", f"{web} --host 127.0.0.1 --port {port} {ORDINARY}.wsgi:application", port, **env):
        theirs = Load(port, key, "")
        theirs.send("create", 8, scaled(6, 1))
        stage.settle(env["DATABASE_URL"])
        _record("ordinary", *_in_turn(lambda: _created(load, 8), lambda: _created(theirs, 8)))


def _beside_localstripe(load: Load) -> None:
    """It keeps its rows in a file, as it is published."""
    file = home.folder() / "localstripe"

    def fresh() -> float:
        with localstripe(file) as port:
            return float(_localstripe(port).send("intent", 1, SECONDS, FRESH)["rate"])

    _record("localstripe", *_in_turn(lambda: _created(load, 1), fresh))
    with localstripe(file) as port:
        filled = _localstripe(port)
        filled.send("intent", 8, 600, FILLED)
        _record("localstripe, filled", *_in_turn(lambda: _created(load, 8), lambda: _intents(filled, 8)))
    file.unlink()


def _localstripe(port: int) -> Load:
    return Load(port, SECRET_KEY, "")


def _created(load: Load, connections: int) -> float:
    answer = load.send("create", connections, SECONDS)
    assert answer["sent"] and not answer["refused"], (answer["refused"], answer["refusal"])
    return float(answer["rate"])


def _intents(load: Load, connections: int) -> float:
    return float(load.send("intent", connections, SECONDS)["rate"])


def _beside_books(merchant: Merchant) -> None:
    """Each has a database of its own on the same server."""
    books = stage.empty_database("onpay_books")
    _books(books, "prepare")
    address = stage.empty_database("onpay_pgledger")
    with psycopg.connect(address, autocommit=True) as server:
        server.execute(_ULID)
        server.execute((HERE / "pgledger.sql").read_bytes())
        accounts = [
            server.execute("SELECT id FROM pgledger_create_account(%s, 'BRL')", [name]).fetchone()
            for name in ("Bank", "Sales")
        ]
        ends = [row[0] for row in accounts if row]

        def pgledger() -> object:
            return server.execute("SELECT * FROM pgledger_create_transfer(%s, %s, 150.00)", ends).fetchone()

        peers: dict[str, Rate] = {
            "hordak": lambda: float(_books(books, "hordak", BOOKS_SECONDS)),
            "django-ledger": lambda: float(_books(books, "django_ledger", BOOKS_SECONDS)),
            "pgledger": lambda: _rate(pgledger),
        }
        ours = _Transfers(merchant)
        for rate in (lambda: _rate(ours), *peers.values()):
            rate()
        for each in (None, books, address):
            stage.settle(each)
        for name, theirs in peers.items():
            _record(name, *_in_turn(lambda: _rate(ours), theirs, BOOKS_ROUNDS))


class _Transfers:
    """Posts one transfer, as the product does."""

    def __init__(self, merchant: Merchant) -> None:
        self.merchant, self.count = merchant, 0
        self.moves = [Move(15_000, Side(AccountKind.CLEARING, "PIX", "BRL"), wallet(AccountKind.AVAILABLE, "BRL"))]

    def __call__(self) -> None:
        self.count += 1
        with transaction.atomic():
            post(self.merchant, "bench.transfer", f"transfer-{self.count}", self.moves, utcnow())


def _rate(transfer: Callable[[], object]) -> float:
    for _ in range(10):
        transfer()
    count, began = 0, perf_counter()
    while perf_counter() < began + BOOKS_SECONDS:
        transfer()
        count += 1
    return count / (perf_counter() - began)


def _books(address: str, *words: object) -> str:
    """Says what the other environment prints."""
    command = [str(PYTHON), str(HERE / "books.py"), *map(str, words)]
    env = os.environ | {"DATABASE_URL": address}
    env.pop("DJANGO_SETTINGS_MODULE")
    return subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout


def _in_turn(ours: Rate, theirs: Rate, rounds: int = ROUNDS) -> tuple[list[float], list[float]]:
    pairs = [(ours(), theirs()) for _ in range(rounds)]
    return [one for one, _ in pairs], [other for _, other in pairs]


def _record(name: str, ours: list[float], theirs: list[float]) -> None:
    """The ratio of each round by itself, as with the floor."""
    ratio = statistics.median(one / other for one, other in zip(ours, theirs, strict=True))
    record(name, f"{ratio:.1f} ×", *(f"{statistics.median(rates):,.0f}/s" for rates in (ours, theirs)))
