"""The operator's own book: a company row without members and keys, for money that is no company's.

It is closed, so that nothing is sold, paid or sent in its name, and stands in no list of companies.
"""

from django.db import transaction

from accounts.cells import emptiest
from accounts.models import Company, Environment, Merchant

NAME = "Operator"


def operator() -> Merchant:
    """The book of the operator, which is made when it is first needed."""
    return Merchant.objects.select_related("company").filter(company__is_operator=True).first() or _made()


@transaction.atomic
def _made() -> Merchant:
    """Two at once make one: a unique index decides, and the other reads it."""
    closed = Company.Status.CLOSED
    Company.objects.bulk_create(
        [Company(legal_name=NAME, trade_name=NAME, status=closed, is_operator=True)], ignore_conflicts=True
    )
    company = Company.objects.get(is_operator=True)
    placed = {"cell": emptiest()}
    return Merchant.objects.get_or_create(company=company, environment=Environment.PRODUCTION, defaults=placed)[0]
