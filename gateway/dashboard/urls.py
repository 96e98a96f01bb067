"""All URLs of the dashboard. Every page of a company is below its id and environment."""

from django.urls import include, path, re_path, register_converter

from accounts.environments import serves
from accounts.models import Environment
from gateway.dashboard import acceptance, entrance, home, looking, production, search, terms
from gateway.dashboard.advances.urls import urls as advances
from gateway.dashboard.audit.urls import urls as audit
from gateway.dashboard.balance.urls import urls as balance
from gateway.dashboard.beneficiaries.urls import urls as beneficiaries
from gateway.dashboard.bulk.urls import urls as bulk
from gateway.dashboard.conversions.urls import urls as conversions
from gateway.dashboard.copying import pages as copying
from gateway.dashboard.customers.urls import urls as customers
from gateway.dashboard.events.urls import urls as events
from gateway.dashboard.keys.urls import urls as keys
from gateway.dashboard.lab.urls import urls as lab
from gateway.dashboard.months.urls import urls as months
from gateway.dashboard.notifications.urls import urls as notifications
from gateway.dashboard.payment_links.urls import urls as payment_links
from gateway.dashboard.payments.urls import urls as payments
from gateway.dashboard.payout_schedules.urls import urls as payout_schedules
from gateway.dashboard.readiness.urls import urls as readiness
from gateway.dashboard.receivables.urls import urls as receivables
from gateway.dashboard.refunds.urls import urls as refunds
from gateway.dashboard.reports.urls import urls as reports
from gateway.dashboard.requests.urls import urls as requests
from gateway.dashboard.sales.urls import urls as sales
from gateway.dashboard.saved_views.urls import urls as saved_views
from gateway.dashboard.settings.urls import urls as settings
from gateway.dashboard.statement.urls import urls as statement
from gateway.dashboard.team.urls import urls as team
from gateway.dashboard.verification.urls import urls as verification
from gateway.dashboard.webhooks.urls import urls as webhooks
from gateway.dashboard.withdrawals.urls import urls as withdrawals

app_name = "dashboard"


class EnvironmentConverter:
    """`sandbox` or `production`."""

    regex = "sandbox|production"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(EnvironmentConverter, "environment")

_pages = [
    path("", home.home, name="home"),
    path("search", search.search, name="search"),
    path("go-live", production.page, name="go_live"),
    path("go-live/copy", copying.copy, name="copy_to_production"),
    path("acceptance", acceptance.page, name="acceptance"),
    *sales,
    *payments,
    *payment_links,
    *customers,
    *refunds,
    *balance,
    *statement,
    *months,
    *receivables,
    *advances,
    *withdrawals,
    *bulk,
    *payout_schedules,
    *beneficiaries,
    *conversions,
    *keys,
    *webhooks,
    *events,
    *requests,
    *lab,
    *readiness,
    *team,
    *settings,
    *verification,
    *audit,
    *notifications,
    *reports,
    *saved_views,
]
company = [page for page in _pages if serves(Environment.SANDBOX) or not getattr(page.callback, "sandbox_only", False)]
"""Pages that exist only in the sandbox have no address where it is not served."""

urlpatterns = [
    path("", entrance.root, name="root"),
    path("me", entrance.me, name="me"),
    path("terms", terms.accept_terms, name="accept_terms"),
    re_path("^legal/(terms|privacy)$", terms.legal, name="legal"),
    path("end-look", looking.end_look, name="end_look"),
    path("still-here", entrance.still_here, name="still_here"),
    path("companies/new", entrance.new_company, name="new_company"),
    path("invitations/<str:token>", entrance.invitation, name="invitation"),
    path("<str:company_id>/<environment:environment>/", include(company)),
]
