"""Phone numbers as payers write them."""

import re


def international(phone: str, *, country: str, mobile: re.Pattern[str]) -> str:
    """`+` and digits. A number in the national `mobile` format gets its `country` code."""
    digits = re.sub(r"[^0-9]", "", phone)
    return (country if mobile.fullmatch(digits) else "+") + digits
