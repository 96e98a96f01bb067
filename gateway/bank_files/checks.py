"""What every statement is held to, whatever its format."""

from decimal import Decimal

from gateway.bank_files.money import fits
from gateway.bank_files.shapes import Statement, UnreadableFile


def checked(statement: Statement, line: int = 0) -> Statement:
    """The statement, if it adds up. `line` is where it ends in the file. Raises UnreadableFile."""
    if not statement.currency and (statement.lines or not statement.is_notice):
        raise UnreadableFile("The statement names no currency.", line)
    for number, entry in enumerate(statement.lines, 1):
        if not fits(entry.amount, statement.currency):
            raise UnreadableFile(f"Entry {number} has more decimals than {statement.currency}.", line)
    if statement.opening is None or statement.closing is None:
        return statement
    total = sum((entry.amount for entry in statement.lines), Decimal(0))
    if statement.opening + total != statement.closing:
        raise UnreadableFile(
            f"The statement does not add up: {statement.opening} and {total} of movements are not {statement.closing}.",
            line,
        )
    return statement
