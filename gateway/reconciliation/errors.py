"""Refusals about bank accounts, files of banks and lines of statements."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import Refusal


class BankAccountUnknown(Refusal):
    code = "ONP404_BANK_ACCOUNT"
    message = _("There is no such bank account.")
    advice = _("Look it up in the list.")


class BankAccountInvalid(Refusal):
    code = "ONP422_BANK_ACCOUNT"
    message = _("The bank account cannot be entered like this.")
    advice = _("Correct what is named and enter it again.")


class BankFileUnknown(Refusal):
    code = "ONP404_BANK_FILE"
    message = _("There is no such file.")
    advice = _("Look it up in the list.")


class BankFileKnown(Refusal):
    code = "ONP409_BANK_FILE_KNOWN"
    message = _("This file was imported before.")
    advice = _("Nothing needs to be done: the list of files shows when it took effect.")


class BankFileUnreadable(Refusal):
    code = "ONP400_BANK_FILE"
    message = _("The file cannot be read.")
    advice = _("Download it from the bank again, and import it as it is. Nothing of it took effect.")


class BankFileRefused(Refusal):
    code = "ONP409_BANK_FILE"
    message = _("The file cannot take effect.")
    advice = _("Nothing of it took effect. Import what is missing first, or look up what was imported.")


class BankLineUnknown(Refusal):
    code = "ONP404_BANK_LINE"
    message = _("There is no such line of a statement.")
    advice = _("Look it up in the list.")


class LineState(Refusal):
    code = "ONP409_BANK_LINE"
    message = _("The line is not in suspense.")
    advice = _("Look it up again: somebody or another line may have explained it.")


class DoesNotExplain(Refusal):
    code = "ONP422_BANK_LINE"
    message = _("This does not explain the line.")
    advice = _("Amount, currency and direction must be the same, and no other line may have explained it.")
