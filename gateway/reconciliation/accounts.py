"""Bank accounts of ours: looked up, recognised in files, entered and changed by two people."""

import re
from collections.abc import Mapping
from dataclasses import asdict

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.base.errors import Fault
from accounts.models import Environment, Merchant
from accounts.operator import operator
from gateway.bank_files.csv_statement import CsvMapping
from gateway.bank_files.shapes import Party
from gateway.providers.models import ProviderAccount
from gateway.reconciliation.errors import BankAccountInvalid, BankAccountUnknown
from gateway.reconciliation.models import CODE, BankAccount

NUMBERS = ("bank", "ispb", "branch", "branch_digit", "account", "account_digit", "iban", "clabe", "cbu")
_WORDS = {
    "name": _("name"), "tax_id": _("tax id"), "bank": _("bank"), "branch": _("branch"),
    "branch_digit": _("branch digit"), "account": _("account"), "account_digit": _("account digit"),
    "account_type": _("account type"),
    "pix_key": _("PIX key"), "pix_key_type": _("type of the PIX key"),
}  # fmt: skip
_WHOLE = ("iban", "clabe", "cbu")


def word_of(name: str) -> str:
    """A member of a `Party` as people read it."""
    return str(_WORDS.get(name) or name.upper())


def hold(code: str) -> BankAccount:
    """The account, locked until the transaction ends. Raises ONP404_BANK_ACCOUNT."""
    locked = BankAccount.objects.select_for_update(no_key=True, of=("self",)).select_related("owner__company")
    found = locked.filter(code=code).first()
    if found is None:
        raise BankAccountUnknown
    return found


def is_named(account: BankAccount, party: Party) -> bool:
    """Whether a file names this account: all numbers that both know are the same, and one of them is its own."""
    return same_account(account.numbers, {name: getattr(party, name) for name in NUMBERS})


def is_without_numbers(party: Party) -> bool:
    """Whether a file does not say whose it is, as many CSVs and status reports: only who imports it knows."""
    return not any(getattr(party, name) for name in ("account", *_WHOLE))


def same_account(ours: Mapping[str, str], theirs: Mapping[str, str]) -> bool:
    """Whether both name one account. Banks print numbers with leading zeros, and digits apart or not."""
    for name in _WHOLE:
        if ours.get(name) and theirs.get(name):
            return plain(ours[name]) == plain(theirs[name])
    if any(_differ(ours, theirs, name) for name in ("bank", "ispb", "branch")):
        return False
    both_have_digits = all(one.get("account_digit") for one in (ours, theirs))
    return bool(_numbers(ours, both_have_digits) & _numbers(theirs, both_have_digits))


def plain(number: str) -> str:
    """Letters and digits without leading zeros."""
    return re.sub(r"[^0-9A-Z]", "", number.upper()).lstrip("0")


def _differ(ours: Mapping[str, str], theirs: Mapping[str, str], name: str) -> bool:
    one, other = plain(ours.get(name, "")), plain(theirs.get(name, ""))
    if name == "branch" and one and other:
        digits = ours.get("branch_digit", ""), theirs.get("branch_digit", "")
        return one not in (other, other + plain(digits[1])) and one + plain(digits[0]) != other
    return bool(one and other and one != other)


def _numbers(party: Mapping[str, str], are_whole: bool) -> set[str]:
    """The number of the account as files may print it: with its digit, or if one of them names no digit without; and
    with the branch in front, as many OFX files have it.
    """
    number, digit = party.get("account", ""), party.get("account_digit", "")
    forms = {plain(number + digit)} if are_whole else {plain(number + digit), plain(number)}
    if party.get("branch"):
        forms.add(plain(party["branch"] + number + digit))
    return forms - {""}


def require_valid(code: str, currency: str, numbers: Mapping[str, str]) -> None:
    """Raises ONP422_BANK_ACCOUNT."""
    faults = []
    if not re.fullmatch(CODE, code):
        faults.append(Fault("code", "INVALID", gettext("2 to 16 capitals, digits and hyphens.")))
    if not any(numbers.get(name) for name in ("account", *_WHOLE)):
        faults.append(Fault("account", "REQUIRED", gettext("The number of the account, its IBAN, CLABE or CBU.")))
    others = BankAccount.objects.filter(currency=currency, is_closed=False).exclude(code=code)
    same = next((one for one in others if same_account(one.numbers, numbers)), None)
    if same:
        faults.append(Fault("account", "INVALID", gettext("%(code)s is the same account.") % {"code": same.code}))
    if faults:
        raise BankAccountInvalid(faults=faults)


def require_mapping(account: BankAccount, mapping: Mapping[str, object]) -> CsvMapping:
    """The mapping. Raises ONP422_BANK_ACCOUNT if no CSV of this account can be read by it."""
    try:
        found = CsvMapping.of(mapping)
    except ValueError as wrong:
        raise BankAccountInvalid(faults=[Fault("mapping", "INVALID", str(wrong))]) from None
    if found.currency != account.currency:
        raise BankAccountInvalid(
            faults=[
                Fault("mapping", "INVALID", gettext("The account is in %(currency)s.") % {"currency": account.currency})
            ]
        )
    return found


def owner_of(merchant_id: int | None) -> Merchant:
    """The company that owns an account; the operator if none is named."""
    if merchant_id is None:
        return operator()
    owners = Merchant.objects.select_related("company").filter(environment=Environment.PRODUCTION)
    return owners.get(pk=merchant_id)


def save(code: str, values: Mapping[str, object]) -> BankAccount:
    """Enters or changes the account: see `proposals.SaveBankAccount`. Currency and owner stay as they were entered."""
    account = BankAccount.objects.filter(code=code).first() or BankAccount(
        code=code,
        currency=str(values["currency"]),
        owner=owner_of(values["owner"]),  # type: ignore[arg-type]
    )
    for name in ("title", "numbers", "fee_codes", "fee_texts", "is_closed"):
        setattr(account, name, values[name])
    account.save()
    account.provider_accounts.set(ProviderAccount.objects.filter(pk__in=values["provider_accounts"]))  # type: ignore[misc]
    return account


def party_of(counterparty: Party | None) -> dict[str, str] | None:
    """The members that are filled, as they are stored."""
    return {name: value for name, value in asdict(counterparty).items() if value} if counterparty else None
