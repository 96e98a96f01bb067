"""URLs of the pages about scheduled payouts."""

from django.urls import path

from gateway.dashboard.payout_schedules import pages

urls = [
    path("payout-schedules/", pages.schedules, name="payout_schedules"),
    path("payout-schedules/new/<slug:way>/", pages.new, name="new_payout_schedule"),
    path("payout-schedules/<str:schedule_id>/start", pages.start, name="start_payout_schedule"),
    path("payout-schedules/<str:schedule_id>/end", pages.end, name="end_payout_schedule"),
]
