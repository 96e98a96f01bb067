"""The Adyen that docs/go-live.md starts gives what staff enter, and sends webhooks when told to."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from gateway.methods.rail import PaymentOrder, PaymentResult
from gateway.providers.adyen.provider import AdyenCredentials, AdyenProvider
from gateway.providers.provider import Message


@pytest.fixture
def listener() -> Iterator[tuple[int, list[bytes]]]:
    """Where webhooks arrive."""
    heard: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield server.server_port, heard
    server.shutdown()
    server.server_close()


def test_it_is_connected_ordered_and_tells_that_it_was_paid(
    tmp_path: Path, order_of: Callable[[str], PaymentOrder], listener: tuple[int, list[bytes]]
) -> None:
    port, heard = listener
    order = order_of("MB_WAY")
    started = [sys.executable, "-m", "tests.support.adyen", str(tmp_path / "acquirer")]
    with subprocess.Popen(started, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as acquirer:
        assert acquirer.stdin and acquirer.stdout
        given = dict(acquirer.stdout.readline().split() for _ in range(8))
        given["ca_certificates"] = Path(given["ca_certificates"]).read_text()
        provider = AdyenProvider(AdyenCredentials.model_validate(given))
        provider.check()
        rail = next(one for one in provider.rails() if one.method == order.method)
        assert rail.instruct(order).answered == PaymentResult.WAITING

        acquirer.stdin.write(f"webhook http://127.0.0.1:{port}/callbacks/pac_1\npay\nquit\n")
        acquirer.stdin.flush()
        assert acquirer.stdout.readlines()[-1] == f"  AUTHORISATION {order.payment_id}: HTTP 200\n"
        assert acquirer.wait(10) == 0

    [body] = heard
    assert provider.verify(Message("", {}, body))
    assert [notice.object_id for notice in provider.read(Message("", {}, body))] == [order.payment_id]
