"""The TLS of an institution in front of something that speaks HTTP only."""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socketserver import BaseRequestHandler, ThreadingTCPServer

from tests.support.bacen_pix.bank import server_context


class _Server(ThreadingTCPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Callers that hang up."""


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@contextmanager
def fronting(port: int, context: ssl.SSLContext | None = None) -> Iterator[int]:
    """The port that speaks TLS, mutual unless told otherwise, and passes everything on to `port`."""

    class Handler(BaseRequestHandler):
        def handle(self) -> None:
            with socket.create_connection(("127.0.0.1", port)) as behind:
                threading.Thread(target=_pump, args=(self.request, behind), daemon=True).start()
                _pump(behind, self.request)

    server = _Server(("127.0.0.1", 0), Handler)
    server.socket = (context or server_context()).wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
