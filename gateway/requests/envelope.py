"""The failure envelope of every refusal (contract §2.2)."""

from django.conf import settings

from accounts.base.errors import Refusal
from accounts.base.wire import dumps


def doc_url(code: str) -> str:
    return f"{settings.BASE_URL}/docs/errors#{code}"


def body_of(refusal: Refusal, request_id: str) -> bytes:
    """The failure envelope (contract §2.2)."""
    error = refusal.body()
    return dumps(
        {
            "success": False,
            "onpayCode": error["code"],
            "onpayDescription": error["message"],
            "error": error | {"requestId": request_id, "docUrl": doc_url(error["code"])},
        }
    )
