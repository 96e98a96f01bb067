"""The page that copies what the company has in the sandbox to production."""

from dataclasses import dataclass

from django import forms
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from accounts.base.errors import Refusal
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.actions import Facts, action
from gateway.dashboard.context import RequestContext
from gateway.dashboard.copying.items import Item, Made, NotCopied, Said, items
from gateway.dashboard.forms import OnceForm
from gateway.dashboard.refusals import in_words
from gateway.payments.services import require_active


class CopyForm(OnceForm):
    """What was ticked."""

    wanted = forms.MultipleChoiceField(
        label=gettext_lazy("To copy"), error_messages={"required": gettext_lazy("Choose at least one.")}
    )

    def __init__(self, offered: list[Item], *args: object) -> None:
        super().__init__(*args)
        wanted = self.fields["wanted"]
        assert isinstance(wanted, forms.MultipleChoiceField)
        wanted.choices = [(one.key, one.title) for one in offered]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one item: what was made, or why it was not."""

    item: Item
    made: Made | None = None
    reason: Said = ""


def _ticked(here: RequestContext) -> Facts:
    wanted = here.request.POST.getlist("wanted")
    return [(one.kind, one.title) for one in items(here) if one.key in wanted] if not here.is_sandbox else []


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.MANAGE, steps_up=action(gettext_lazy("Copy from the sandbox to production"), about=_ticked))
def copy(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Shows what production lacks; the form copies what is ticked. Secrets of endpoints are in this answer only.

    Raises ONP403_COMPANY_STATUS while production is closed.
    """
    if here.is_sandbox:
        raise Http404
    require_active(here.merchant)
    found = items(here)
    form = CopyForm(found, request.POST if request.method == "POST" else None)
    if form.is_valid():
        with transaction.atomic():
            here.claim(form)
        wanted = form.cleaned_data["wanted"]
        outcomes = [_copied(one) for one in found if one.key in wanted]
        has_secret = any(one.made and one.made.secret for one in outcomes)
        return here.render("copying/copied.html", outcomes=outcomes, has_secret=has_secret)
    return here.render("copying/choose.html", form=form, items=found, is_offered=any(not one.obstacle for one in found))


def _copied(item: Item) -> Outcome:
    if item.obstacle:
        return Outcome(item, reason=item.obstacle)
    try:
        return Outcome(item, item.copy())
    except NotCopied as error:
        return Outcome(item, reason=error.args[0])
    except Refusal as refusal:
        return Outcome(item, reason=in_words(refusal))
