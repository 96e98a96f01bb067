"""Texts about bulk files."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from gateway.bulk.models import State
from gateway.bulk.sheets import LARGEST, MOST_ROWS, Unreadable

UNREADABLE: dict[str, Promise] = {
    Unreadable.TOO_LARGE: _("The file is too large: %(size)s MB at most."),
    Unreadable.TOO_MANY_ROWS: _("The file has too many lines: %(rows)s at most."),
    Unreadable.FORMAT: _("The file cannot be read. Upload a CSV or XLSX made from the template."),
    Unreadable.EMPTY: _("The file has no lines below the titles."),
}
LIMITS = {"size": LARGEST // 1024 // 1024, "rows": MOST_ROWS}
WARNING: dict[str, Promise] = {
    "repeated": _("Lines of this file that are alike: the same beneficiary and amount, or the same payment."),
    "recent": _("The same beneficiary received the same amount in the last seven days."),
    "new": _("Beneficiaries to whom this company has never sent money."),
    "same_file": _("A file with exactly these lines was confirmed before."),
}
LINE_STATE: dict[str, tuple[Promise, str]] = {
    State.WAITING: (_("Waiting"), "yellow"),
    State.DONE: (_("Created"), "green"),
    State.REFUSED: (_("Rejected"), "red"),
    State.STOPPED: (_("Stopped"), "secondary"),
}
