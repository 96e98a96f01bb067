"""URLs of the pages about the team."""

from django.urls import path

from gateway.dashboard.team import detail, list, new

urls = [
    path("team/", list.team, name="team"),
    path("team/invite", new.invite, name="invite"),
    path("team/<int:member_id>", detail.member, name="member"),
    path("team/<int:member_id>/remove", detail.remove, name="remove_member"),
    path("team/invitations/<str:invitation_id>/resend", new.resend, name="resend_invitation"),
    path("team/invitations/<str:invitation_id>/withdraw", new.withdraw, name="withdraw_invitation"),
]
