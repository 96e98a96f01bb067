"""Every page for developers."""

from gateway.dashboard.developers import deliveries, doctor, events, keys, lab, replay, requests, webhooks

urls = [
    *keys.urls,
    *webhooks.urls,
    *deliveries.urls,
    *replay.urls,
    *doctor.urls,
    *events.urls,
    *requests.urls,
    *lab.urls,
]
