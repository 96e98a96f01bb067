"""A merchant's receiver: says 200 to every webhook and remembers when it came. `GET /seen` tells, and forgets.

Under `/hang` it says nothing at all.
"""

import asyncio
import json
import sys
import time
from typing import Any

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
NAMES_A_PAYMENT = b'"data":{"id":"'


class Seen:
    """The webhooks since somebody last asked."""

    def __init__(self) -> None:
        self.count = 0
        self.first_at = 0.0
        self.arrivals: dict[str, float] = {}

    def note(self, body: bytes) -> None:
        now = time.time()
        self.first_at = self.first_at or now
        self.count += 1
        payment = body.partition(NAMES_A_PAYMENT)[2][:30].decode()
        self.arrivals.setdefault(payment, now)

    def told(self) -> bytes:
        content = json.dumps(vars(self)).encode()
        self.__init__()  # type: ignore[misc]
        return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(content), content)


class Receiver(asyncio.Protocol):
    def __init__(self, seen: Seen) -> None:
        self.seen = seen
        self.request = b""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.request += data
        head, found, body = self.request.partition(b"\r\n\r\n")
        if not found or len(body) < _length(head):
            return
        self.request = b""
        if head.startswith(b"GET"):
            self.transport.write(self.seen.told())
        elif not head.startswith(b"POST /hang"):
            self.seen.note(body)
            self.transport.write(OK)


def _length(head: bytes) -> int:
    return int(head.lower().partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0] or 0)


async def receive(port: int) -> None:
    seen = Seen()
    server = await asyncio.get_running_loop().create_server(lambda: Receiver(seen), "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(receive(int(sys.argv[1])))
