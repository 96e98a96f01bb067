"""What a service refuses, at the fields of a form that it is about."""

from accounts.base.errors import Refusal
from gateway.dashboard.forms import DashboardForm
from gateway.dashboard.payments.words import REFUSED


def say(form: DashboardForm, refusal: Refusal, **fields: str) -> None:
    """Every fault at its field; `fields` names those that are called otherwise than the member of the request."""
    if refusal.public_code in REFUSED:
        field = refusal.field if refusal.field in form.fields else None
        form.add_error(field, str(REFUSED[refusal.public_code]))
        return
    for fault in refusal.faults:
        member = fault.field.rsplit(".", 1)[-1]
        name = fields.get(member, member)
        form.add_error(name if name in form.fields else None, fault.message)
    if not refusal.faults:
        form.refuse(refusal, **fields)
