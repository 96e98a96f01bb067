"""Which response of the API is disturbed, and how."""

from collections import Counter
from collections.abc import Sequence

from accounts.models import Merchant
from gateway.chaos import selectors
from gateway.chaos.disturbances import AnswerDisturbance
from gateway.chaos.models import DisturbedRequest

LOOKED_AT = 200
"""Requests by which the next disturbance is chosen."""
WAITS_S = (1, 2)


def meet(
    merchant: Merchant,
    possible: Sequence[AnswerDisturbance],
    *,
    method: str,
    path: str,
    request_id: str,
    key: str | None = None,
) -> DisturbedRequest | None:
    """How the response to this request is disturbed; None if it is not.

    In a run a key is disturbed once, and so is reading a path. Each disturbance comes in turn: next is the one that
    requests of this method have met least often.
    """
    run = selectors.active(merchant)
    wanted = [one for one in possible if run and one in run.disturbances]
    if run is None or not wanted:
        return None
    recent = DisturbedRequest.objects.filter(run=run).order_by("-at").values_list("method", "kind")[:LOOKED_AT]
    met = Counter(kind for of_method, kind in recent if of_method == method)
    kind = min(wanted, key=lambda one: met[one])
    waits_s = {
        AnswerDisturbance.RATE_LIMITED: WAITS_S[met[kind] % len(WAITS_S)],
        AnswerDisturbance.UNAVAILABLE: 1,
        AnswerDisturbance.IN_PROGRESS: 1,
    }
    disturbed, is_first = DisturbedRequest.objects.get_or_create(
        run=run,
        idempotency_key=key,
        **({} if key else {"path": path[:255]}),
        defaults={
            "kind": kind,
            "method": method,
            "path": path[:255],
            "request_id": request_id,
            "retry_after_s": waits_s.get(kind),
        },
    )
    return disturbed if is_first else None
