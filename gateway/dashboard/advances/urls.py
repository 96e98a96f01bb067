"""URLs of the pages about advances."""

from django.urls import path

from gateway.dashboard.advances import detail, list, new, simulate

urls = [
    path("receivables/advance", simulate.simulate, name="simulate_advance"),
    path("receivables/advance/request", new.ask, name="request_advance"),
    path("receivables/advances/", list.advances, name="advances"),
    path("receivables/advances/<str:advance_id>/", detail.advance, name="advance"),
]
