"""A company can be closed only when it has no money with us."""

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts import standing
from accounts.audit import Actor
from accounts.errors import CompanyHasMoney
from accounts.models import Company, Environment
from accounts.proposals.companies import CompanyKind
from accounts.proposals.kinds import Carried, Values, register
from ledger.books.models import Balance
from ledger.chart import BUCKETS, AccountKind


def require_empty(company: Company) -> None:
    """Raises ONP409_COMPANY_MONEY while a production wallet has a balance, or the company owes us."""
    kinds = [*BUCKETS, AccountKind.DEBT]
    theirs = Balance.objects.filter(account__merchant__company=company, account__kind__in=kinds)
    if theirs.filter(account__merchant__environment=Environment.PRODUCTION).exclude(amount=0).exists():
        raise CompanyHasMoney


@register
class CompanyClosing(CompanyKind):
    name = "company.close"
    title = _("Close the company")
    permission = "accounts.close_company"

    def require(self, record: Company, values: Values) -> None:
        """Raises ONP409_COMPANY_STATE and ONP409_COMPANY_MONEY."""
        standing.require(record, *set(Company.Status) - {Company.Status.CLOSED})
        require_empty(record)

    def sentence(self, record: Company, values: Values) -> str:
        return gettext(
            "The company can never take payments or move money again. Owners are notified. This cannot be undone."
        )

    def carry_out(self, record: Company, values: Values, *, by: Actor, note: str) -> Carried:
        standing.close(by, record, note, require_empty=require_empty)
        return Carried(record, gettext("%(company)s was closed.") % {"company": record})
