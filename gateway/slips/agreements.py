"""An agreement with a bank to collect by boleto, as it is used."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from gateway.bank_files.shapes import Party
from gateway.methods.boleto.numbers import barcode
from gateway.slips.wallets import WALLETS, check_digit, free_field


@dataclass(frozen=True, slots=True)
class Agreement:
    """`number` is the bank's own of the agreement; boletos are numbered from `first` to `last` in the wallet.

    `beneficiary_code` is the bank's own for who is paid, where boletos name it instead of the account.
    """

    beneficiary: Party
    number: str
    wallet: str
    first: int
    last: int
    beneficiary_code: str = ""

    @property
    def bank(self) -> str:
        return self.beneficiary.bank

    @property
    def series(self) -> str:
        """What numbers are counted for: the same for all accounts that were entered with this agreement."""
        holder = self.beneficiary
        return "/".join(text.lstrip("0") for text in (holder.bank, holder.branch, holder.account, self.wallet))

    @property
    def code(self) -> str:
        """Branch and account, or the beneficiary's code, as people read them."""
        holder = self.beneficiary
        if self.beneficiary_code:
            return f"{holder.branch} / {self.beneficiary_code}"
        return f"{holder.branch} / {holder.account}-{holder.account_digit}"

    def check_digit(self, number: int) -> str:
        return check_digit(self.bank, self._digits(number))

    def barcode(self, number: int, due_on: date, amount_minor: int) -> str:
        return barcode(self.bank, due_on, amount_minor, free_field(self.bank, self._digits(number)))

    def written(self, number: int) -> str:
        """The nosso número as people read it."""
        return f"{self.wallet}/{self.digits(number)}-{self.check_digit(number)}"

    def digits(self, number: int) -> str:
        """The nosso número with its zeros."""
        return str(number).zfill(WALLETS[self.bank].number_digits)

    def number_in(self, text: str, wallet: str = "") -> int | None:
        """The number that a return of the bank names, with or without its check digit. `wallet` is "" where the return
        names none. None: it is none of ours.
        """
        if wallet.lstrip("0") not in ("", self.wallet.lstrip("0")):
            return None
        has_check = WALLETS[self.bank].is_returned_with_check
        digits, check = (text[:-1], text[-1:]) if has_check else (text, "")
        number = int(digits) if digits.isascii() and digits.isdigit() else None
        return number if number is not None and (not has_check or self.check_digit(number) == check) else None

    def _digits(self, number: int) -> Mapping[str, str]:
        holder = self.beneficiary
        return {
            "number": str(number),
            "wallet": self.wallet,
            "branch": holder.branch,
            "account": holder.account,
            "account_digit": holder.account_digit,
            "beneficiary_code": self.beneficiary_code,
        }
