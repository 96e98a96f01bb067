"""What every statement is held to, whatever its format."""

from decimal import Decimal

from django.utils.translation import gettext_noop as _

from gateway.bank_files.money import fits
from gateway.bank_files.shapes import Statement, UnreadableFile


def checked(statement: Statement, line: int = 0) -> Statement:
    """The statement, if it adds up. `line` is where it ends in the file. Raises UnreadableFile."""
    if not statement.currency and (statement.lines or not statement.is_notice):
        raise UnreadableFile(_("The statement names no currency."), line)
    for number, entry in enumerate(statement.lines, 1):
        if not fits(entry.amount, statement.currency):
            raise UnreadableFile(
                _("Entry %(number)s has more decimals than %(currency)s."),
                line,
                number=number,
                currency=statement.currency,
            )
    if statement.opening is None or statement.closing is None:
        return statement
    total = sum((entry.amount for entry in statement.lines), Decimal(0))
    if statement.opening + total != statement.closing:
        raise UnreadableFile(
            _("The statement does not add up: %(opening)s and %(total)s of movements are not %(closing)s."),
            line,
            opening=statement.opening,
            total=total,
            closing=statement.closing,
        )
    return statement
