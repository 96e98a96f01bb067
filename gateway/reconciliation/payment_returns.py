"""What banks answer to payment files: kept whole when the file takes effect, and applied order by order afterwards."""

from collections import Counter

from django.utils import translation
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from accounts.base.clock import utcnow
from gateway.bank_files.shapes import OrderOutcome, PaymentReturn
from gateway.payout_batches import answers
from gateway.reconciliation.handlers import register
from gateway.reconciliation.models import BankAccount, ImportedFile

_SAID = {
    OrderOutcome.ACCEPTED: _("Accepted"),
    OrderOutcome.PAID: _("Paid"),
    OrderOutcome.REJECTED: _("Rejected"),
    OrderOutcome.RETURNED: _("Returned"),
    OrderOutcome.UNCERTAIN: _("Uncertain"),
}


class PaymentReturnHandler:
    """See `gateway.reconciliation.handlers.Handler`."""

    def check(self, account: BankAccount, documents: list[PaymentReturn]) -> None:
        """Answers that do not fit are named order by order, so no file is refused for one."""

    def lines(self, account: BankAccount, documents: list[PaymentReturn]) -> list[tuple[str, str]]:
        counts = Counter(one.outcome for document in documents for one in document.answers)
        whole = [
            (
                " ".join((gettext("The whole file"), one.of_file)).strip(),
                gettext("%(outcome)s: by itself that changes no order") % {"outcome": _told(one.file_outcome)},
            )
            for one in documents
            if one.file_outcome is not None
        ]
        orders = gettext("Orders: %(outcome)s")
        return whole + [(orders % {"outcome": _told(outcome)}, str(count)) for outcome, count in sorted(counts.items())]

    def apply(self, file: ImportedFile, documents: list[PaymentReturn]) -> None:
        accounts = list(file.account.provider_accounts.values_list("pk", flat=True))
        for document in documents:
            answers.store(file.pk, accounts, document.answers, utcnow())
            if document.file_outcome is not None:
                answers.note_of_file(file.pk, accounts, document.of_file, document.file_outcome, utcnow())


def _told(outcome: OrderOutcome) -> str:
    return translation.gettext(_SAID[outcome])


register(PaymentReturn, PaymentReturnHandler())
