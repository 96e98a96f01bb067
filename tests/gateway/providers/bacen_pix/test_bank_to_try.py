"""The bank that docs/go-live.md starts gives what staff enter, and pays when told to."""

import subprocess
import sys
from pathlib import Path

from gateway.methods.rail import PaymentOrder, PaymentResult
from gateway.providers.bacen_pix.provider import BacenPixCredentials, BacenPixProvider


def test_it_is_connected_charged_and_paid(tmp_path: Path, order: PaymentOrder) -> None:
    started = [sys.executable, "-m", "tests.support.bacen_pix", str(tmp_path / "bank")]
    with subprocess.Popen(started, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as bank:
        assert bank.stdin and bank.stdout
        given = dict(bank.stdout.readline().split() for _ in range(8))
        for name in ("certificate", "private_key", "ca_certificates"):
            given[name] = Path(given[name]).read_text()
        provider = BacenPixProvider(BacenPixCredentials.model_validate(given))
        provider.check()
        assert provider.rails()[0].instruct(order).answered == PaymentResult.WAITING

        bank.stdin.write("pay\nquit\n")
        bank.stdin.flush()
        assert bank.stdout.readline().startswith("  paid: E")
        assert bank.wait(10) == 0
