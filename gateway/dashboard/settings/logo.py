"""The company's logo, which payers see."""

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from accounts import logos
from accounts.base.errors import Refusal
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import DashboardForm
from gateway.serving.limits import takes_files


class LogoForm(DashboardForm):
    """The file; its type is recognized from its content."""

    logo = forms.FileField(
        label=gettext_lazy("Logo"),
        help_text=gettext_lazy("PNG, JPEG or WebP, 2 MB at most. Payers see it on the pages on which they pay."),
        widget=forms.FileInput(attrs={"accept": ".png,.jpg,.jpeg,.webp"}),
        max_length=255,
    )


@takes_files
@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.MANAGE)
def logo(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Uploads or removes it."""
    if request.method == "POST" and "remove" in request.POST:
        logos.remove(request, here.company)
        return here.redirect("settings", message=_("The logo was removed."))
    form = LogoForm(request.POST, request.FILES) if request.method == "POST" else LogoForm()
    if form.is_valid():
        try:
            logos.upload(request, here.company, form.cleaned_data["logo"].read(logos.LARGEST + 1))
        except Refusal as refusal:
            form.refuse(refusal)
        else:
            return here.redirect("settings", message=_("Saved."))
    return here.render("settings/logo.html", form=form, address=logos.address(here.company))
