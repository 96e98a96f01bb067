"""Settlement reports as files: announced by a signed notification, and downloaded by a report user.

Which file it is, the signed `pspReference` says. The address in `reason` is not signed, so it is not used.
"""

import re
from collections.abc import Mapping
from typing import Any, BinaryIO

from gateway.methods.rail import PaymentAction
from gateway.providers.adyen.credentials import AdyenCredentials
from gateway.providers.client import Call, Client
from gateway.providers.errors import NotSent
from gateway.providers.provider import REPORT, Notice

AVAILABLE = "REPORT_AVAILABLE"
LARGEST, TIMEOUT_S = 512 * 1024 * 1024, 300
_NAME = re.compile(r"settlement_detail_report_[A-Za-z0-9_-]{1,60}\.csv")


def announced(item: Mapping[str, Any], credentials: AdyenCredentials) -> Notice | None:
    """The notice of a notification that a settlement report of this merchant account can be downloaded."""
    name = str(item.get("pspReference"))
    is_ours = item.get("merchantAccountCode") == credentials.merchant_account and item.get("success") == "true"
    return Notice(f"{REPORT}_{name}", PaymentAction.CAPTURE) if is_ours and _NAME.fullmatch(name) else None


def download(client: Client, credentials: AdyenCredentials, name: str, into: BinaryIO) -> None:
    """Writes the file to `into`, ready to be read. Raises NotSent and Unclear."""
    if credentials.report_api_key is None:
        raise NotSent("the credentials have no API key of a report user")
    if not _NAME.fullmatch(name):
        raise NotSent("not a name of a settlement report")
    call = Call(
        "GET",
        credentials.reports + "/reports/download/MerchantAccount/{account}/{name}",
        {"account": credentials.merchant_account, "name": name},
        about=name,
        headers={"X-API-Key": credentials.report_api_key.get_secret_value(), "Accept": "text/csv"},
    )
    client.download(call, into, LARGEST)
    into.seek(0)
