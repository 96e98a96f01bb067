"""A merchant's receiver: says 200 to every webhook and remembers when it came. `GET /seen` tells, and forgets.

Under `/hang` it says nothing at all. With a secret after the port it verifies each as the guides say, and counts those
that are not signed with it by themselves.
"""

import asyncio
import json
import sys
import time
from typing import Any

import uvloop
from standardwebhooks import Webhook, WebhookVerificationError

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
NAMES_A_PAYMENT = b'"data":{"id":"'


class Seen:
    """The webhooks since somebody last asked."""

    def __init__(self) -> None:
        self.count = 0
        self.forged = 0
        self.first_at = 0.0
        self.last_at = 0.0
        self.arrivals: dict[str, float] = {}

    def note(self, body: bytes) -> None:
        now = time.time()
        self.first_at = self.first_at or now
        self.last_at = now
        self.count += 1
        payment = body.partition(NAMES_A_PAYMENT)[2][:30].decode()
        self.arrivals.setdefault(payment, now)

    def told(self) -> bytes:
        content = json.dumps(vars(self)).encode()
        self.__init__()  # type: ignore[misc]
        return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(content), content)


class Receiver(asyncio.Protocol):
    def __init__(self, seen: Seen, secret: Webhook | None) -> None:
        self.seen, self.secret = seen, secret
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
            if self.secret is None or _is_signed(self.secret, head, body):
                self.seen.note(body)
            else:
                self.seen.forged += 1
            self.transport.write(OK)


def _length(head: bytes) -> int:
    return int(head.lower().partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0] or 0)


def _is_signed(secret: Webhook, head: bytes, body: bytes) -> bool:
    fields = (line.partition(":") for line in head.decode("latin-1").split("\r\n")[1:])
    try:
        secret.verify(body, {name.lower(): value.strip() for name, _, value in fields})
    except WebhookVerificationError:
        return False
    return True


async def receive(port: int, *secrets: str) -> None:
    seen, secret = Seen(), Webhook(secrets[0]) if secrets else None
    server = await asyncio.get_running_loop().create_server(lambda: Receiver(seen, secret), "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(receive(int(sys.argv[1]), *sys.argv[2:]))
