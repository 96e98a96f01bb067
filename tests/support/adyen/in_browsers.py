"""The stand-in for Adyen's library, served to any browser of this machine."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path

from tests.support.bacen_pix.bank import Handler

LIBRARY = (Path(__file__).parent / "library.js").read_bytes()


class _ForBrowsers(Handler):
    def handle_any(self) -> None:
        self.send(200, LIBRARY, "text/javascript")


@contextmanager
def serving() -> Iterator[str]:
    """The address of the library."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _ForBrowsers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/adyen.js"
    finally:
        server.shutdown()
        server.server_close()
