"""URLs of the sandbox lab."""

from django.urls import path

from gateway.dashboard.lab import detail

urls = [
    path("lab/", detail.lab, name="lab"),
    path("lab/clock", detail.move, name="lab_clock"),
    path("lab/plays", detail.play, name="lab_play"),
]
