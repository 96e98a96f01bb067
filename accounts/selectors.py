"""Reads about who."""

import hashlib

from accounts.models import ApiKey, Company, Merchant
from accounts.rows import columns, first, load, width

_FIND_KEY = f"""
    SELECT {columns(ApiKey, "k")}, {columns(Merchant, "m")}, {columns(Company, "c")}
      FROM accounts_apikey k
      JOIN accounts_merchant m ON m.id = k.merchant_id
      JOIN accounts_company c ON c.id = m.company_id
     WHERE k.digest = %s AND k.revoked_at IS NULL
"""


def digest(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()


def find_key(key: str) -> ApiKey | None:
    """The live API key with this text, with its merchant and company, in one round trip."""
    row = first(_FIND_KEY, [digest(key)])
    if row is None:
        return None
    merchant_starts = width(ApiKey)
    company_starts = merchant_starts + width(Merchant)
    api_key = load(ApiKey, row[:merchant_starts])
    api_key.merchant = load(Merchant, row[merchant_starts:company_starts])
    api_key.merchant.company = load(Company, row[company_starts:])
    return api_key
