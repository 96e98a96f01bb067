"""The JSON of chaos runs (contract §14.5)."""

from typing_extensions import TypedDict

from accounts.base.wire import Timestamp, optional_timestamp, timestamp
from gateway.chaos.disturbances import DisturbanceName
from gateway.chaos.models import ChaosRun


class ChaosRunPayload(TypedDict):
    """A run of chaos mode. It ends by itself at `endsAt`; `endedAt` is set if it was ended before."""

    id: str
    disturbances: list[DisturbanceName]
    endpointIds: list[str]
    startedAt: Timestamp
    endsAt: Timestamp
    endedAt: Timestamp | None


def chaos_run(run: ChaosRun) -> ChaosRunPayload:
    return {
        "id": run.id,
        "disturbances": run.disturbances,  # type: ignore[typeddict-item]
        "endpointIds": run.endpoint_ids,
        "startedAt": timestamp(run.started_at),
        "endsAt": timestamp(run.ends_at),
        "endedAt": optional_timestamp(run.ended_at),
    }
