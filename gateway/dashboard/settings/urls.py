"""URLs of the settings of a company."""

from django.urls import path

from gateway.dashboard.settings import detail, edit, terms, withdrawals

urls = [
    path("settings/", detail.settings, name="settings"),
    path("settings/company", edit.company_data, name="company_data"),
    path("settings/withdrawal-address", withdrawals.withdrawal_address, name="withdrawal_address"),
    path("settings/withdrawals-wait", withdrawals.withdrawal_wait, name="withdrawal_wait"),
    path("settings/terms", terms.terms, name="terms"),
]
