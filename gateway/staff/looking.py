"""Looking at a company's pages as the company sees them."""

from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from unfold.decorators import action

from accounts.environments import served
from accounts.viewing import services as viewing
from gateway.staff.kit.forms import NoteField, NoteForm
from gateway.staff.kit.pages import Done, StaffAdmin

LOOK = ("look",)


class LookForm(NoteForm):
    note = NoteField("Stays with us. The company sees in its audit log that you looked, and when")


class Looking(StaffAdmin):
    """Read-only, for 15 minutes, with a permission of its own."""

    actions_detail: ClassVar[Any] = LOOK

    def has_look_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return viewing.may_look(request.user)

    @action(description="See what this company sees", permissions=["look"], icon="visibility")
    def look(self, request: HttpRequest, object_id: str) -> HttpResponse:
        company = self.record(request, object_id)
        form = LookForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            sentence = _(
                "Its dashboard opens as a viewer of the company sees it, for 15 minutes. Nothing can be changed, "
                "confirmed or downloaded there."
            )
            return self.decision(request, company, _("See what this company sees"), sentence=sentence, form=form)
        note, begun = form.cleaned_data["note"], []

        def act() -> Done:
            begun.append(viewing.begin(request, company, note))
            return Done(
                company,
                "",
                f"Looked at its pages: {note}",
                _("You look at %(company)s, read-only.") % {"company": company},
            )

        answer = self.carry_out(request, company, act)
        home = reverse("dashboard:home", args=(company.pk, served()[-1].lower()))
        return HttpResponseRedirect(home) if begun else answer
