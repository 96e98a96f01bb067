"""Forms of an endpoint: URL, subscribed events, and secret rotation."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import Merchant
from gateway.dashboard.events.words import KIND
from gateway.dashboard.forms import OnceForm
from webhooks import services
from webhooks.kinds import EVERYTHING

TEST = "webhook.test"


OVERLAPS = (
    ("0", gettext_lazy("It stops immediately")),
    ("1", gettext_lazy("1 hour")),
    ("24", gettext_lazy("24 hours")),
    ("72", gettext_lazy("3 days")),
)


class EndpointForm(OnceForm):
    """URL and event types."""

    url = forms.CharField(
        label=gettext_lazy("URL"),
        max_length=2048,
        widget=forms.URLInput(attrs={"placeholder": "https://shop.example.com/hooks/onpay", "autocomplete": "off"}),
        help_text=gettext_lazy("A public HTTPS address that answers 2xx within 15 seconds."),
    )
    description = forms.CharField(label=gettext_lazy("Description"), max_length=255, required=False)
    everything = forms.BooleanField(
        label=gettext_lazy("All event types, including those added later"), required=False, initial=True
    )
    events = forms.MultipleChoiceField(
        label=gettext_lazy("Only these types"),
        choices=[(kind, sentence) for kind, sentence in KIND.items() if kind != TEST],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )

    def __init__(self, merchant: Merchant, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.merchant = merchant

    def clean_url(self) -> str:
        url = str(self.cleaned_data["url"])
        for fault in services.url_faults(self.merchant, url):
            raise forms.ValidationError(fault.in_words())
        return url

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if "events" in given and not given.get("everything") and not given["events"]:
            self.add_error("events", _("Choose at least one type, or all of them."))
        return given

    def values(self) -> dict[str, Any]:
        """The value as the services expect it."""
        given = self.cleaned_data
        events = [EVERYTHING] if given["everything"] else given["events"]
        return {"url": given["url"], "events": events, "description": given["description"] or None}


class SecretRotationForm(OnceForm):
    """How long the current secret keeps signing next to the new one."""

    overlap = forms.ChoiceField(
        label=gettext_lazy("The old secret keeps signing for another"),
        choices=OVERLAPS,
        widget=forms.RadioSelect,
        initial="24",
    )
