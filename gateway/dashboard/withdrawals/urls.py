"""URLs of the pages about withdrawals."""

from django.urls import path

from gateway.dashboard.withdrawals import approvals, detail, list, new, receipt

urls = [
    path("withdrawals/", list.withdrawals, name="withdrawals"),
    path("withdrawals/new/", new.choose, name="choose_withdrawal"),
    path("withdrawals/new/<slug:way>/", new.new, name="new_withdrawal"),
    path("withdrawals/new/<slug:way>/check", new.check, name="check_withdrawal"),
    path("withdrawals/new/<slug:way>/confirm", new.confirm, name="confirm_withdrawal"),
    path("withdrawals/approvals/", approvals.approvals, name="approvals"),
    path("withdrawals/<str:withdrawal_id>/approve", approvals.approve, name="approve_withdrawal"),
    path("withdrawals/<str:withdrawal_id>/reject", approvals.reject, name="reject_withdrawal"),
    path("withdrawals/<str:withdrawal_id>/", detail.withdrawal, name="withdrawal"),
    path("withdrawals/<str:withdrawal_id>/receipt.pdf", receipt.receipt, name="withdrawal_receipt"),
    path("withdrawals/<str:withdrawal_id>/simulate", detail.simulate, name="simulate_withdrawal"),
]
