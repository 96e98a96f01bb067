"""The STP that docs/go-live.md starts gives what staff enter, takes an order, and settles and returns it."""

import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from gateway.payouts.rail import PayoutOrder, PayoutResult
from gateway.providers.stp.credentials import StpCredentials
from gateway.providers.stp.provider import StpProvider


def test_it_is_connected_and_plays_an_order_to_its_return(tmp_path: Path, withdrawal: PayoutOrder) -> None:
    started = [sys.executable, "-m", "tests.support.stp", str(tmp_path / "stp")]
    with subprocess.Popen(started, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as stp:
        assert stp.stdin and stp.stdout
        given = dict(stp.stdout.readline().split(maxsplit=1) for _ in range(11))
        given = {name: value.strip() for name, value in given.items()}
        given |= {name: Path(given[name]).read_text() for name in ("private_key", "ca_certificates")}
        provider = StpProvider(StpCredentials.model_validate(given))
        provider.check()
        now = datetime.now(UTC)
        payout, order = provider.payout_rails()[0], replace(withdrawal, sent_at=now)
        assert payout.send(order, now).answered == PayoutResult.SENT

        key = withdrawal.withdrawal_id.replace("wdr_", "WDR")
        ends = {"settle": PayoutResult.DONE, "back": PayoutResult.RETURNED}
        for command, end in ends.items():
            stp.stdin.write(f"{command}\n")
            stp.stdin.flush()
            assert stp.stdout.readline().startswith(f"  {key}: not delivered")
            assert payout.ask(order, now).answered == end
        stp.stdin.write("what\nquit\n")
        stp.stdin.flush()
        assert stp.stdout.readline().startswith("  webhook URL | deposit CLABE AMOUNT")
        assert stp.wait(10) == 0
