"""URLs of the pages about bulk files."""

from django.urls import path

from gateway.dashboard.bulk import approval, detail, upload

urls = [
    path("bulk/", detail.bulk_files, name="bulk_files"),
    path("bulk/withdrawals/", upload.choose_withdrawals, name="choose_bulk_withdrawals"),
    path("bulk/withdrawals/<slug:way>/", upload.withdrawals, name="upload_withdrawals"),
    path("bulk/refunds/", upload.refunds, name="upload_refunds"),
    path("bulk/template/<slug:way>/<slug:form>", upload.template, name="bulk_template"),
    path("bulk/<str:file_id>/", detail.bulk_file, name="bulk_file"),
    path("bulk/<str:file_id>/confirm", detail.confirm, name="confirm_bulk_file"),
    path("bulk/<str:file_id>/approval/", approval.approval, name="bulk_file_approval"),
    path("bulk/<str:file_id>/approve", approval.approve, name="approve_bulk_file"),
    path("bulk/<str:file_id>/reject", approval.reject, name="reject_bulk_file"),
    path("bulk/<str:file_id>/stop", detail.stop, name="stop_bulk_file"),
]
