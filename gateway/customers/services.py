"""Storing payers as customers."""

from datetime import datetime
from typing import Any

from django.db import connection

from accounts.base.ids import new_id
from accounts.base.rows import first, table
from accounts.models import Merchant
from gateway.customers.models import Customer
from gateway.customers.payer import Payer

_NEWER = """
    name = excluded.name, email = coalesce(excluded.email, customer.email),
    phone = coalesce(excluded.phone, customer.phone), address = coalesce(excluded.address, customer.address),
    tax_id_type = coalesce(excluded.tax_id_type, customer.tax_id_type), updated_at = excluded.updated_at
"""
_INSERT = f"""
    INSERT INTO {table(Customer)} AS customer
           (id, merchant_id, name, tax_id, tax_id_type, email, phone, address, created_at, updated_at)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""
_BY_TAX_ID = f"{_INSERT} ON CONFLICT (merchant_id, tax_id) DO UPDATE SET {_NEWER} RETURNING id"
_BY_EMAIL = f"{_INSERT} ON CONFLICT (merchant_id, email) WHERE tax_id IS NULL DO UPDATE SET {_NEWER} RETURNING id"
_NEW = f"{_INSERT} RETURNING id"
_KNOWN_BY_EMAIL = f"""
    UPDATE {table(Customer)}
       SET name = %s, phone = coalesce(%s, phone), address = coalesce(%s, address), updated_at = %s
     WHERE id = (SELECT id FROM {table(Customer)} WHERE merchant_id = %s AND email = %s
                  ORDER BY updated_at DESC LIMIT 1)
    RETURNING id
"""


def remember(merchant: Merchant, payer: Payer, at: datetime, *, owns_cards: bool = False) -> str:
    """The id of the payer's customer: by tax id, else by e-mail, else new. New values overwrite old ones.

    `owns_cards`: their cards are saved or charged. Then an e-mail address finds no customer with a tax id: anybody may
    have named the address beside a tax id of their own.
    """
    address = Customer._meta.get_field("address").get_db_prep_save(payer.address, connection)
    row: list[Any] = [
        new_id("cus"), merchant.pk, payer.name, payer.tax_id, payer.tax_id_type, payer.email, payer.phone, address,
        at, at,
    ]  # fmt: skip
    if payer.tax_id:
        return _id(_BY_TAX_ID, row)
    if payer.email:
        known = (
            None
            if owns_cards
            else first(_KNOWN_BY_EMAIL, [payer.name, payer.phone, address, at, merchant.pk, payer.email])
        )
        return str(known[0]) if known else _id(_BY_EMAIL, row)
    return _id(_NEW, row)


def _id(sql: str, row: list[Any]) -> str:
    found = first(sql, row)
    assert found is not None
    return str(found[0])
