"""The commands that change terms, and all that they may change."""

import io
from typing import Any

from django.core.management import call_command

from accounts.models import AuditEntry, Email
from gateway.methods.models import MethodRule, PriceRule
from gateway.payouts.models import PayoutRule


def run(command: str, *arguments: str) -> str:
    out = io.StringIO()
    call_command(command, *arguments, stdout=out)
    return out.getvalue()


def everything() -> list[Any]:
    """All rules, their history, the audit and the e-mails."""
    models: list[Any] = [PriceRule, MethodRule, PayoutRule]
    models += [model.history.model for model in models] + [AuditEntry, Email]
    return [list(model._base_manager.order_by("pk").values()) for model in models]
