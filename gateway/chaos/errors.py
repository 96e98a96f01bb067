"""Refusals of chaos mode."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import Refusal


class NoChaos(Refusal):
    code = "ONP404_CHAOS"
    message = _("Chaos mode is off.")
    advice = _("Start a run first; it ends by itself after at most an hour.")
