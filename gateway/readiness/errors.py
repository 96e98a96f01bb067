"""Refusals of readiness checks."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import Refusal


class ReadinessCheckUnknown(Refusal):
    code = "ONP404_READINESS_CHECK"
    message = _("Readiness check not found.")
    advice = _("Check the id, and the environment of your key.")


class ReadinessCheckRunning(Refusal):
    """`readinessCheckId` is the one that runs."""

    code = "ONP409_READINESS_CHECK"
    message = _("A readiness check is running already.")
    advice = _("Finish the one that error.readinessCheckId names, or wait until it has ended by itself.")
