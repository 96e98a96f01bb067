"""Makes the tables and one merchant, whose key is the argument."""

import sys

import django
from django.core.management import call_command


def main() -> None:
    django.setup()
    call_command("migrate", run_syncdb=True, verbosity=0)
    from tests.bench.peers.ordinary.keys import digest_of
    from tests.bench.peers.ordinary.models import ApiKey, Merchant, Price

    merchant = Merchant.objects.create(name="Shop")
    ApiKey.objects.create(merchant=merchant, digest=digest_of(sys.argv[1]), permissions=["payments:write"])
    Price.objects.create(method="PIX", currency="BRL", percentage="0.99", fixed="0.01")


if __name__ == "__main__":
    main()
