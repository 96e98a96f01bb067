"""Console output for the developer: progress, problems, and a start card."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CARD = """
  Onpay Gateway runs at {baseUrl}

  Demo shop    {baseUrl}/demo/shop
  Reference    {baseUrl}/docs
  Dashboard    {dashboard[url]}    {dashboard[email]}  {dashboard[password]}
  Staff        {admin[url]}    {admin[username]}  {admin[password]}
  Sandbox key  {sandboxApiKey}

  Create a PIX payment:

curl -s {baseUrl}/api/v2/payments \\
  -H 'x-api-key: {sandboxApiKey}' \\
  -H "idempotency-key: $(python3 -c 'import uuid; print(uuid.uuid4())')" \\
  -H 'content-type: application/json' \\
  -d '{{"method": "PIX", "amount": 150.00, "currency": "BRL", "reference": "order-'$(date +%s)$RANDOM'",
       "payer": {{"name": "Maria Silva", "taxId": "52998224725"}}}}'

  Ctrl-C stops it. State and logs: {home}
"""


def echo(line: str) -> None:
    """Prints one line and flushes it."""
    print(line, flush=True)


@contextmanager
def step(name: str) -> Iterator[None]:
    """Says what is being done, and how long it took."""
    began = time.monotonic()
    print(f"  {name:<34}", end="", flush=True)
    try:
        yield
    except BaseException:
        echo("not done")
        raise
    echo(f"{time.monotonic() - began:5.1f} s")


def card(place: Path) -> None:
    """Shows the addresses, the logins and a first request."""
    demo = json.loads((place / "demo.json").read_text())
    echo(CARD.format(**demo, home=place))
