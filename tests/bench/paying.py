"""A process that pays payments of one merchant through the services, with four threads, as a web process has them.

The merchant's number and the payments come as JSON on standard input. It says that it is ready, waits for a line, and
prints how long it took.
"""

import json
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import django

THREADS = 4


def main() -> None:
    django.setup()
    from accounts.base.garbage import spare_what_is_loaded
    from accounts.models import Merchant
    from gateway.payments import services as payments

    asked = json.loads(sys.stdin.readline())
    merchant = Merchant.objects.select_related("company").get(pk=asked["merchant"])

    def pay(ids: Iterable[str]) -> None:
        for payment in ids:
            payments.simulate(merchant, payment, "PAID")

    with ThreadPoolExecutor(THREADS) as threads:
        warm_up, ids = asked["payments"][: THREADS * 5], asked["payments"][THREADS * 5 :]
        list(threads.map(pay, (warm_up[number::THREADS] for number in range(THREADS))))
        spare_what_is_loaded()
        print("ready", flush=True)
        sys.stdin.readline()
        began = time.time()
        list(threads.map(pay, (ids[number::THREADS] for number in range(THREADS))))
        print(json.dumps({"began": began, "ended": time.time(), "paid": len(ids)}))


if __name__ == "__main__":
    main()
