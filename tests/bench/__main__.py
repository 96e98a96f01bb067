"""`make bench`; `T=--budget` for where the time of POST /payments goes, `T=--profile` by function.

`T=--releases`, `--files`, `--statements`, `--night`, `--proofs`, `--lists`, `--deliveries`, `--peers`, `--charge`,
`--memory`, `--growth`, `--open`, `--wallet` or `--dashboard` measures that alone. What the README's table has a line of
is written there.

`T='--dashboard staff --only gateway_payment'` measures a part of the pages; with `--again` beside the data of the last
run, brought up to the migrations of now.

`SHORT=1` does a little of everything, to see that it runs.
"""

import argparse
import json
from collections.abc import Sequence
from functools import partial
from http.client import HTTPConnection
from importlib import import_module
from typing import TYPE_CHECKING
from uuid import uuid4

from tests.bench import results, stage
from tests.bench.scale import SHORT

if TYPE_CHECKING:
    from tests.support.companies import Shop

ALONE = {
    "budget": "what each part of POST /payments costs",
    "releases": "the release of receivables",
    "deliveries": "webhooks",
    "statements": "lines of bank statements",
    "files": "payment files",
    "night": "the night of a bank",
    "proofs": "the proofs of the books",
    "lists": "long lists of the API",
    "peers": "the service beside what others built",
    "charge": "full charges, all processes together",
    "memory": "the memory of all processes",
    "open": "how long payments take at constant arrivals",
    "wallet": "one hot wallet",
    "growth": "what grows with the tables (ROWS=1000,100000,1000000)",
}
OF_A_SHOP = {
    "peers": "tests.bench.peers.rounds",
    "charge": "tests.bench.charge",
    "memory": "tests.bench.memory",
    "open": "tests.bench.steady",
    "wallet": "tests.bench.wallet",
}
"""Where those are that need no more than a company."""
PARTS = ("reads", "company", "staff", "paint")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--profile", nargs="?", type=int, const=1000, metavar="REQUESTS", help="profile POST /payments")
    for name, what in ALONE.items():
        parser.add_argument(f"--{name}", action="store_true", help=f"measure {what} alone")
    parser.add_argument("--dashboard", nargs="*", metavar="PART", choices=PARTS, help=f"of pages, all of {PARTS}")
    parser.add_argument("--only", default="", metavar="TEXT", help="of the pages those whose titles have it")
    parser.add_argument("--again", action="store_true", help="measure pages beside the data of the last run")
    wanted = parser.parse_args()
    stage.set_up()
    if not wanted.again:
        stage.fresh_database()
    print(results.machine())
    alone = next((name for name in ALONE if getattr(wanted, name)), "")
    if wanted.profile:
        _profile(wanted.profile)
    elif wanted.dashboard is not None:
        _dashboard(wanted.dashboard or PARTS, wanted.only, again=wanted.again)
    elif alone in OF_A_SHOP:
        _of_a_shop(alone)
    elif alone:
        _MEASURES[alone]()
    else:
        _all()
    results.write()


def _all() -> None:
    _bench()
    _releases()
    of_a_shop = [partial(_of_a_shop, name) for name in OF_A_SHOP]
    others = [_budget, _files, _statements, _night, _proofs, _lists, _growth]
    for measure in (*of_a_shop, *others, *([_dashboard] if SHORT else [])):
        stage.fresh_database()
        measure()
    if SHORT:
        _profile(20)


def _bench() -> None:
    from tests.bench import deliveries, throughput
    from tests.bench.floor import Floor
    from tests.support.companies import a_shop

    shop, floors_shop = a_shop("Shop"), a_shop("Floor")
    port, receiver = stage.free_port(), stage.free_port()
    for each in (shop, floors_shop):
        deliveries.subscribe(each.sandbox, receiver)
    with (
        stage.running("receiver", f"-m tests.bench.receiver {receiver}", receiver),
        stage.running("web", stage.web(port), port),
    ):
        for each in (shop, floors_shop):
            _may_withdraw(each)
        load = throughput.Load(port, shop.sandbox_key, shop.company.id)
        throughput.warm_up(load)
        floor = Floor(
            floors_shop.sandbox,
            _paid(port, floors_shop.sandbox_key),
            _withdrawn(port, floors_shop.sandbox_key, floors_shop.company.id),
        )
        cells = throughput.measure(load, floor)
        print(throughput.table(cells))
        throughput.keep(cells)
        _deliveries(port, receiver)
        load.send("create", 1, 30, deliveries.SINGLE_PAYMENTS)
        delays = deliveries.delays_ms(port, shop.sandbox_key, receiver, load.pending[-deliveries.SINGLE_PAYMENTS :])
        print(f"from commit to first attempt: {deliveries.told(delays)}")
    print(throughput.summary(cells))


def _deliveries(port: int, receiver: int) -> None:
    from tests.bench import deliveries
    from tests.support.companies import a_shop

    deliveries.drop_what_is_due()
    one, twenty, hanging, well = (a_shop(name) for name in ("One", "Twenty", "Hanging", "Well"))
    examples = {shop: _paid(port, shop.sandbox_key) for shop in (one, twenty, hanging, well)}
    for shop, endpoints in ((one, 1), (twenty, 20)):
        ours = deliveries.rate(shop.sandbox, receiver, endpoints, examples[shop])
        bare = deliveries.bare_rate(one.sandbox, receiver)
        results.record(f"deliveries, {endpoints}", f"{ours / bare:.2f} ×", f"{ours:,.0f}/s", f"{bare:,.0f}/s")
    pair = (examples[hanging], examples[well])
    delays = deliveries.beside_a_hanging_one(hanging.sandbox, well.sandbox, receiver, pair)
    print(f"from event to first attempt at 20 endpoints while another hangs: {deliveries.told(delays)}")
    deliveries.drop_what_is_due()


def _only_deliveries() -> None:
    port, receiver = stage.free_port(), stage.free_port()
    with (
        stage.running("receiver", f"-m tests.bench.receiver {receiver}", receiver),
        stage.running("web", stage.web(port), port),
    ):
        _deliveries(port, receiver)


def _releases() -> None:
    from ledger.verify import verify
    from tests.bench import releases
    from tests.support.companies import a_shop

    ways = releases.measure([a_shop(f"Merchant {number}").sandbox for number in range(releases.MERCHANTS)])
    print(releases.table(ways))
    for violation in verify():
        raise SystemExit(f"The books are not right: {violation}")


def _files() -> None:
    from tests.bench import payment_files
    from tests.support.companies import a_shop

    print(payment_files.measure([a_shop(f"Merchant {number}").production for number in range(20)]))


def _statements() -> None:
    from tests.bench import statements
    from tests.support.companies import a_shop

    print(statements.measure([a_shop(f"Merchant {number}").production for number in range(20)]))


def _night() -> None:
    from tests.bench import night
    from tests.support.companies import a_shop

    print(night.measure([a_shop(f"Merchant {number}").production for number in range(20)]))


def _proofs() -> None:
    from tests.bench import history, proofs
    from tests.support.companies import a_shop

    neighbours = [a_shop(f"Neighbour {number}").sandbox for number in range(history.NEIGHBOURS)]
    print(proofs.measure(a_shop("Busy").sandbox, neighbours))


def _lists() -> None:
    from tests.bench import history, lists
    from tests.support.companies import a_shop

    neighbours = [a_shop(f"Neighbour {number}").sandbox for number in range(history.NEIGHBOURS)]
    print(lists.measured(a_shop("Busy"), neighbours))


def _of_a_shop(name: str) -> None:
    from tests.support.companies import a_shop

    import_module(OF_A_SHOP[name]).measure(a_shop("Shop"))


def _growth() -> None:
    from tests.bench import growth

    growth.measure_sizes()


def _dashboard(parts: Sequence[str] = PARTS, only: str = "", *, again: bool = False) -> None:
    from tests.bench import dashboard, life

    lived = life.lived_again() if again else life.live()
    for part in parts:
        dashboard.MEASURES[part](lived, only)


def _profile(requests: int) -> None:
    from tests.bench.profiling import profile
    from tests.support.companies import a_shop

    print(profile(a_shop("Shop").sandbox_key, requests))


def _may_withdraw(shop: "Shop") -> None:
    """More money than can be withdrawn while it is measured, and the address from which it is."""
    from accounts.base.clock import utcnow
    from ledger.books.services import Move, Side, post, wallet
    from ledger.chart import AccountKind

    shop.company.withdrawal_ip = "127.0.0.1"
    shop.company.save()
    clearing, available = Side(AccountKind.CLEARING, "PIX", "BRL"), wallet(AccountKind.AVAILABLE, "BRL")
    post(shop.sandbox, "bench.funded", shop.company.id, [Move(10**15, debit=clearing, credit=available)], utcnow())


def _paid(port: int, key: str) -> str:
    """A payment that was made and paid through the API."""
    payer = {"name": "Maria Silva", "taxId": "52998224725", "email": "maria@example.com"}
    order = {"method": "PIX", "amount": 150.00, "currency": "BRL", "reference": str(uuid4()), "payer": payer}
    created = _posted(port, key, "/payments", order)
    return _posted(port, key, f"/simulations/payments/{created}", {"status": "PAID"})


def _withdrawn(port: int, key: str, company: str) -> str:
    """A withdrawal that was accepted through the API."""
    wish = {"companyId": company, "amount": 1.00, "currency": "BRL", "reference": str(uuid4())}
    return _posted(port, key, "/withdrawals/pix", wish | {"pixKey": "maria@example.com", "pixKeyType": "EMAIL"})


def _posted(port: int, key: str, path: str, body: dict[str, object]) -> str:
    """The id that the API answers."""
    http = HTTPConnection("127.0.0.1", port)
    headers = {"x-api-key": key, "idempotency-key": str(uuid4()), "Content-Type": "application/json"}
    http.request("POST", f"/api/v2{path}", json.dumps(body), headers)
    answer = json.loads(http.getresponse().read())
    assert answer["success"], answer
    return str(answer["data"]["id"])


def _budget() -> None:
    from tests.bench import budget
    from tests.support.companies import a_shop

    print(budget.measure(a_shop("Shop").sandbox_key))


_MEASURES = {
    "budget": _budget,
    "releases": _releases,
    "deliveries": _only_deliveries,
    "statements": _statements,
    "files": _files,
    "night": _night,
    "proofs": _proofs,
    "lists": _lists,
    "growth": _growth,
}

if __name__ == "__main__":
    main()
