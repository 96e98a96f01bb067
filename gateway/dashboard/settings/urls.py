"""URLs of the settings of a company."""

from django.urls import path

from gateway.dashboard.settings import detail, edit, logo, rules, terms, withdrawals

urls = [
    path("settings/", detail.settings, name="settings"),
    path("settings/company", edit.company_data, name="company_data"),
    path("settings/logo", logo.logo, name="company_logo"),
    path("settings/withdrawal-address", withdrawals.withdrawal_address, name="withdrawal_address"),
    path("settings/withdrawals-wait", withdrawals.withdrawal_wait, name="withdrawal_wait"),
    path("settings/withdrawal-rules", rules.rules, name="withdrawal_rules"),
    path("settings/withdrawal-rules/<str:rules_id>/agree", rules.agree, name="agree_withdrawal_rules"),
    path("settings/withdrawal-rules/<str:rules_id>/stop", rules.stop, name="stop_withdrawal_rules"),
    path("settings/terms", terms.terms, name="terms"),
]
