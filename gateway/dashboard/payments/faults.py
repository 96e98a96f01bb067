"""Maps faults of a service to fields of a form."""

from accounts.base.errors import Refusal
from gateway.dashboard.forms import DashboardForm
from gateway.dashboard.payments.words import REFUSED


def add_faults(form: DashboardForm, refusal: Refusal, **fields: str) -> None:
    """Adds every fault at its field; `fields` maps members with other names."""
    if refusal.public_code in REFUSED:
        field = refusal.field if refusal.field in form.fields else None
        form.add_error(field, str(REFUSED[refusal.public_code]))
        return
    for fault in refusal.faults:
        member = fault.field.rsplit(".", 1)[-1]
        name = fields.get(member, member)
        form.add_error(name if name in form.fields else None, fault.in_words())
    if not refusal.faults:
        form.refuse(refusal, **fields)
