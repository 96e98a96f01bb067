"""The log of requests, which a thread writes beside the transactions of tests."""

from contextlib import closing
from typing import Any

from accounts.base import cells
from accounts.base.ids import new_id
from gateway.database.connections import separate_connection
from gateway.requests import log
from gateway.requests.facts import RequestFacts
from gateway.requests.models import ApiRequest


def forget_requests() -> None:
    """Empties the log: what its thread wrote does not go away with a test's transaction."""
    log.close()
    with closing(separate_connection()) as own, own.cursor() as cursor:
        cursor.execute("DELETE FROM gateway_apirequest")


def logged(cell: str) -> list[str]:
    """The requests in the log of the cell."""
    with cells.opened(cell):
        return [*ApiRequest.objects.order_by("pk").values_list("pk", flat=True)]


def unmade_request(**members: Any) -> RequestFacts:
    """The facts of a request that nobody made."""
    asked = {
        "method": "GET",
        "path": "/api/v2/payments",
        "path_ids": (),
        "query": "",
        "body": b"",
        "idempotency_key": "",
    }
    answer = {"status": 200, "refusal_code": None, "answer": b"{}", "answer_kind": "application/json"}
    who = {"id": new_id("req"), "merchant_id": 1, "api_key_id": "key_x", "origin": None, "user_agent": ""}
    other = {"is_replay": False, "elapsed_s": 0.0015, "cell": cells.current()}
    return RequestFacts(**{**asked, **answer, **who, **other} | members)
