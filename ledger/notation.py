"""How people write amounts, and how their input is parsed: by the language of the page and the market.

`read` parses everything that `written` formats.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from babel.numbers import format_decimal, get_decimal_symbol, get_group_symbol

from accounts.base.market import ELSEWHERE, LOCALES, language, market
from accounts.base.market import in_market as in_market
from ledger.money import DECIMALS, to_decimal

NONE, MINUS = "–", "−"
_UNBROKEN = "\u00a0"
_SPACES = re.compile("[\u00a0\u2009\u202f ]")
_LONGEST = 60
_SIGNS = {"BRL": "R$", "EUR": "€"}
"""Signs that only one of our currencies uses."""
_PESO = "$"
_PESOS = ("MXN", "ARS", "COP", "USD")
_WITHOUT_CENTS = ("COP",)
"""Currencies that show cents only if there are any."""


@dataclass(frozen=True, slots=True)
class Notation:
    """Digits (a Babel locale), the currency that "$" stands for, and the positions of sign and code."""

    locale: str
    local: str = ""
    sign: str = "{sign}\u00a0{number}"
    code: str = "{sign}\u00a0{number}"

    def number(self, amount: Decimal, pattern: str) -> str:
        """In a pattern of Unicode. Those of amounts are written without reading it: a page has hundreds of them."""
        whole, _, decimals = pattern.partition(".")
        if whole == "#,##0" and not decimals.strip("0"):
            return f"{amount:,.{len(decimals)}f}".translate(_separators(self.locale))
        return format_decimal(amount, format=pattern, locale=self.locale)


@cache
def _separators(locale: str) -> dict[int, str]:
    """Of Python's number what it is in the locale, by code point."""
    return {ord(","): get_group_symbol(locale), ord("."): get_decimal_symbol(locale)}


ENGLISH = Notation("en", sign="{sign}{number}")
_AFTER = "{number}\u00a0{sign}"
_MARKETS = {
    "BR": Notation(LOCALES["BR"]),
    "MX": Notation(LOCALES["MX"], "MXN", sign="{sign}{number}"),
    "AR": Notation(LOCALES["AR"], "ARS"),
    "CO": Notation(LOCALES["CO"], "COP"),
    "PT": Notation(LOCALES["PT"], sign=_AFTER, code=_AFTER),
}
_ELSEWHERE = {"pt": _MARKETS["BR"], "es": Notation(ELSEWHERE["es"], sign="{sign}{number}")}
_MARKET_OF = {"BRL": "BR", "MXN": "MX", "ARS": "AR", "COP": "CO", "EUR": "PT"}


class Unreadable(ValueError):
    """The text is not an amount."""


class TwoReadings(Unreadable):
    """The text is ambiguous. `readings` are both amounts, with the separator as thousands separator first."""

    def __init__(self, text: str, readings: tuple[Decimal, Decimal]) -> None:
        super().__init__(text)
        self.text, self.readings = text, readings


def market_of(currency: str) -> str:
    """The country of a currency; "" for a currency without a market."""
    return _MARKET_OF.get(currency, "")


def notation() -> Notation:
    """The notation of the current language and market. English has one notation everywhere."""
    if language() not in _ELSEWHERE:
        return ENGLISH
    return _MARKETS.get(market()) or _ELSEWHERE[language()]


def notation_of(country: str) -> Notation:
    """The notation of a market, independent of the reader; English if there is none."""
    return _MARKETS.get(country, ENGLISH)


def written(amount: Decimal, currency: str, *, coded: bool = False, used: Notation | None = None) -> str:
    """An amount with its sign or code: "R$ 1.234,50". `coded`: also with the code if there would only be a "$"."""
    used = used or notation()
    number = used.number(abs(amount), _pattern(amount, currency))
    sign = _PESO if currency == used.local else _SIGNS.get(currency)
    place = used.sign if sign else used.code
    text = place.format(sign=sign or currency, number=number)
    if coded and sign == _PESO:
        text += _UNBROKEN + currency
    return MINUS + text if amount < 0 else text


def typed(amount: Decimal) -> str:
    """An amount as the value of an input field: only digits and the decimal separator."""
    places = max(2, -int(amount.normalize().as_tuple().exponent))
    return notation().number(amount, f"0.{'0' * (4 if places == 3 else places)}")  # three digits could be thousands


def counted(number: int) -> str:
    """An integer with grouped digits."""
    return notation().number(Decimal(number), "#,##0")


def exact(value: Decimal, *, least: int = 0) -> str:
    """All digits, without trailing zeros after `least` decimals."""
    return notation().number(value, f"#,##0.{'0' * least}{'#' * (15 - least)}")


def per_cent(value: Decimal) -> str:
    """1.5 becomes "1.5%", without trailing zeros."""
    return notation().number(value / 100, "#,##0.########%")


def _pattern(amount: Decimal, currency: str) -> str:
    is_whole = currency in _WITHOUT_CENTS and amount == amount.to_integral_value()
    return "#,##0" if is_whole else f"#,##0.{'0' * DECIMALS[currency]}"


_SIGN = r"(?:R\$|US\$|\$|€|[A-Z]{3,4})"
_AMOUNT = re.compile(
    rf"(?P<minus>[-−]?) ?(?P<sign>{_SIGN})? ?(?P<number>[0-9.,][0-9., ]*?) ?(?P<code>{_SIGN})?", re.ASCII
)
_GROUPED = [re.compile(rf"[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+") for mark in (r"\.", ",", " ")]
_EXACT = [
    re.compile(rf"(?:[0-9]+|[1-9][0-9]{{0,2}}(?:(?:{other}[0-9]{{3}})+|(?: [0-9]{{3}})+)|){mark}[0-9]+")
    for mark, other in ((r"\.", ","), (",", r"\."))
]


def read(text: str, currency: str | None = None) -> Decimal | None:
    """Parses an amount with or without a sign; None for an empty text. `currency` is that of the field, if any.

    One separator before exactly three digits can separate thousands or decimals; only our own notation of the currency
    resolves that. Raises TwoReadings, and Unreadable for everything that is not an amount of the currency.
    """
    text = _SPACES.sub(" ", text).strip()
    if text in ("", NONE):
        return None
    match = _AMOUNT.fullmatch(text.upper()) if len(text) <= _LONGEST else None
    if match is None:
        raise Unreadable(text)
    currency = _agreed(text, currency, match["sign"], match["code"])
    amount = _number(match["number"], currency)
    return -amount if match["minus"] else amount


def currencies_named(text: str) -> set[str]:
    """The currencies that an amount's sign and code allow; all of them without any. Raises Unreadable."""
    match = _AMOUNT.fullmatch(_SPACES.sub(" ", text).strip().upper()) if len(text) <= _LONGEST else None
    if match is None:
        raise Unreadable(text)
    possible = set(DECIMALS)
    for sign in filter(None, (match["sign"], match["code"])):
        possible &= _currencies_of_sign(sign)
    return possible


def _agreed(text: str, currency: str | None, *signs: str | None) -> str | None:
    """The currency that all signs agree on, if any."""
    possible = set(DECIMALS) if currency is None else {currency}
    for sign in filter(None, signs):
        possible &= _currencies_of_sign(sign)
    if not possible:
        raise Unreadable(text)
    return possible.pop() if len(possible) == 1 else None


def _currencies_of_sign(sign: str) -> set[str]:
    if sign == _PESO:
        return {notation().local} if notation().local else set(_PESOS)
    if sign == "US$":
        return {"USD"}
    return {code for code in DECIMALS if sign in (code, _SIGNS.get(code))}


def _number(text: str, currency: str | None) -> Decimal:
    if text.isdecimal():
        return Decimal(text)
    grouped = [Decimal(re.sub("[., ]", "", text)) for form in _GROUPED if form.fullmatch(text)]
    decimal = [_of_decimals(text) for form in _EXACT if form.fullmatch(text)]
    readings = [*grouped, *decimal]
    if not readings:
        raise Unreadable(text)
    if len(readings) == 1:
        return readings[0]
    for reading in readings:
        if currency and text == _SPACES.sub(" ", notation().number(reading, _pattern(reading, currency))):
            return reading
    raise TwoReadings(text, (readings[0], readings[1]))


def _of_decimals(text: str) -> Decimal:
    """The last separator separates the decimals."""
    last = max(text.rfind("."), text.rfind(","))
    return Decimal(f"{re.sub('[., ]', '', text[:last])}.{text[last + 1 :]}")


def plain_amount(minor: int, currency: str) -> str:
    """`1,234.50 BRL`."""
    return f"{to_decimal(minor, currency):,f} {currency}"
