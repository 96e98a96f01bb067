"""The whole dashboard on one page. Every page of a company stands below its id and its environment."""

from django.urls import include, path, register_converter

from gateway.dashboard import customers, entrance, home, search
from gateway.dashboard.balance.urls import urls as balance
from gateway.dashboard.company.urls import urls as about_the_company
from gateway.dashboard.conversions.urls import urls as conversions
from gateway.dashboard.developers.urls import urls as developers
from gateway.dashboard.payments.urls import urls as payments
from gateway.dashboard.receivables.urls import urls as receivables
from gateway.dashboard.refunds.urls import urls as refunds
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

company = [
    *home.urls,
    *search.urls,
    *payments,
    *customers.urls,
    *about_the_company,
    *developers,
    *refunds,
    *receivables,
    *balance,
    *withdrawals,
    *conversions,
]

urlpatterns = [
    path("", entrance.root, name="root"),
    path("me", entrance.me, name="me"),
    path("still-here", entrance.still_here, name="still_here"),
    path("companies/new", entrance.new_company, name="new_company"),
    path("invitations/<str:token>", entrance.invitation, name="invitation"),
    path("<str:company_id>/<environment:environment>/", include(company)),
]
