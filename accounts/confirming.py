"""The page on which a person reviews and confirms an interrupted action."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts import second_factor, step_up


@require_safe
@login_required
def confirm_action(request: HttpRequest) -> HttpResponse:
    """Does nothing itself: its button sends the original request again in full, with a single-use nonce."""
    found = step_up.waiting(request)
    if found is None:
        return render(request, "account/confirm_action.html", {"waiting": None}, status=410)
    if not second_factor.is_fresh(request):
        raise step_up.StepUpNeeded(request.path)
    return render(request, "account/confirm_action.html", {"waiting": found, "nonce_field": step_up.NONCE})
