"""What answers several requests at a time goes on after a failure."""

import asyncio
import threading
from collections.abc import Sequence

from structlog.testing import capture_logs

from gateway.serving.batches import THREADS, Batches


def test_a_failure_nobody_has_thought_of_ends_no_thread() -> None:
    """Without its threads a process would let every request wait for ever."""
    used: set[str] = set()

    def answer(numbers: Sequence[int]) -> list[bool]:
        used.add(threading.current_thread().name)
        if numbers[0] < 0:
            raise RuntimeError("never thought of")
        return [True] * len(numbers)

    async def ask() -> list[bool]:
        batches: Batches[int] = Batches(answer)
        batches.begin(asyncio.get_running_loop())
        return [await asyncio.wait_for(batches.answered(n), 20) for n in (*[-1] * (2 * THREADS), 1, 2)]

    with capture_logs() as said:
        answers = asyncio.run(ask())

    assert answers == [*[False] * (2 * THREADS), True, True]
    assert [line["event"] for line in said] == ["fast_path.failed"] * (2 * THREADS)
