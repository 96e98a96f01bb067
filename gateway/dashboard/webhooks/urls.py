"""URLs of the pages about webhook endpoints."""

from django.urls import path

from gateway.dashboard.webhooks import deliveries, detail, doctor, list, new, replay

urls = [
    path("webhooks/", list.webhooks, name="webhooks"),
    path("webhooks/new", new.new, name="new_webhook"),
    path("webhooks/<str:webhook_id>", detail.webhook, name="webhook"),
    path("webhooks/<str:webhook_id>/test", detail.test, name="test_webhook"),
    path("webhooks/<str:webhook_id>/edit", detail.edit, name="edit_webhook"),
    path("webhooks/<str:webhook_id>/status", detail.switch, name="switch_webhook"),
    path("webhooks/<str:webhook_id>/secret", detail.rotate, name="rotate_webhook"),
    path("webhooks/<str:webhook_id>/delete", detail.delete, name="delete_webhook"),
    path("webhooks/<str:webhook_id>/deliveries/<str:delivery_id>", deliveries.delivery, name="delivery"),
    path("webhooks/<str:webhook_id>/deliveries/<str:delivery_id>/again", deliveries.redeliver, name="redeliver"),
    path("webhooks/<str:webhook_id>/replay", replay.replay, name="replay_webhook"),
    path("webhooks/<str:webhook_id>/doctor", doctor.doctor, name="doctor"),
]
