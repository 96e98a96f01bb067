"""What identifies the account of a destination, whatever else the order says about it."""

import json
from collections.abc import Mapping

from django.conf import settings
from django.utils.crypto import salted_hmac

from accounts.models import Merchant
from gateway.payouts.registry import by_currency


def fingerprints(merchant: Merchant, rail: str, currency: str, destination: Mapping[str, str]) -> list[bytes]:
    """The same for the same account of a merchant: under the secret key, then under those that it replaced.

    The account cannot be derived from them.
    """
    account = sorted(by_currency(rail)[currency].account(destination).items())
    identity = json.dumps([merchant.pk, rail, currency, account])
    secrets = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    salt = "gateway.withdrawals.account"
    return [salted_hmac(salt, identity, secret=secret, algorithm="sha256").digest() for secret in secrets]
