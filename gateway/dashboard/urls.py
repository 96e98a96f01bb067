"""The whole dashboard on one page. Every page of a company stands below its id and its environment."""

from django.urls import include, path, register_converter

from gateway.dashboard import entrance, home, search
from gateway.dashboard.balance.urls import urls as balance
from gateway.dashboard.company.urls import urls as about_the_company
from gateway.dashboard.conversions.urls import urls as conversions
from gateway.dashboard.developers.urls import urls as developers

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
    *developers,
]

    *about_the_company,
urlpatterns = [
    path("", entrance.root, name="root"),
    path("me", entrance.me, name="me"),
    path("companies/new", entrance.new_company, name="new_company"),
    path("invitations/<str:token>", entrance.invitation, name="invitation"),
    path("<str:company_id>/<environment:environment>/", include(company)),
]
