"""URLs of the pages about beneficiaries."""

from django.urls import path

from gateway.dashboard.beneficiaries import list, new

urls = [
    path("beneficiaries/", list.beneficiaries, name="beneficiaries"),
    path("beneficiaries/new/<slug:way>/", new.new, name="new_beneficiary"),
    path("beneficiaries/<str:beneficiary_id>/remove", list.remove, name="remove_beneficiary"),
]
