"""Phone numbers as payers write them."""

import re


def international(phone: str, *, country: str, mobile: re.Pattern[str]) -> str:
    """`+` and digits. A number in the form of a national `mobile` gets its `country` code: it has no other reading."""
    digits = re.sub(r"[^0-9]", "", phone)
    return (country if mobile.fullmatch(digits) else "+") + digits
