"""URLs of the sandbox lab."""

from django.urls import path

from gateway.dashboard.lab import chaos, detail

urls = [
    path("lab/", detail.lab, name="lab"),
    path("lab/clock", detail.move, name="lab_clock"),
    path("lab/chaos", chaos.chaos, name="chaos"),
    path("lab/chaos/start", chaos.start, name="chaos_start"),
    path("lab/chaos/end", chaos.end, name="chaos_end"),
    path("lab/plays", detail.play, name="lab_play"),
]
