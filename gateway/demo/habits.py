"""What people of the demo company look at every week: a view of the team, and a report of it."""

from accounts.models import Merchant, User
from gateway.dashboard.models import SavedView
from gateway.reports import services as reports
from gateway.reports.models import Frequency, Subject

ZONE = "America/Sao_Paulo"


def keep_views(sandbox: Merchant, owner: User, finance: User) -> None:
    """Finance gets the refused payments of the week before by e-mail, from the view that the owner shares."""
    view = SavedView.objects.create(
        merchant=sandbox,
        user=owner,
        page="payments",
        name="Cartões recusados",
        query="method=CREDIT_CARD&method=DEBIT_CARD&status=FAILED",
        is_shared=True,
    )
    plan = reports.ReportPlan(Subject.PAYMENTS, Frequency.WEEKLY, 8, ZONE, name=view.name, query=view.query)
    reports.schedule(sandbox, finance, plan)
    reports.schedule(sandbox, owner, reports.ReportPlan(Subject.STATEMENT, Frequency.MONTHLY, 8, ZONE))
