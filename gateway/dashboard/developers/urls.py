"""Every page for developers."""

from gateway.dashboard.developers import deliveries, doctor, events, keys, lab, replay, webhooks

urls = [
    *keys.urls,
    *webhooks.urls,
    *deliveries.urls,
    *replay.urls,
    *doctor.urls,
    *events.urls,
    *lab.urls,
]
