"""The Stripe that docs/go-live.md starts gives what staff enter, charges, and books what it has moved."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from urllib.request import urlopen

from gateway.methods.rail import PaymentOrder, PaymentResult
from gateway.providers.stripe.provider import StripeCredentials, StripeProvider


def test_it_is_connected_paid_and_pays_out(tmp_path: Path, order: PaymentOrder) -> None:
    started = [sys.executable, "-m", "tests.support.stripe", str(tmp_path / "stripe")]
    with subprocess.Popen(started, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as stripe:
        assert stripe.stdin and stripe.stdout
        given = dict(stripe.stdout.readline().split() for _ in range(6))
        _, _, script = given.pop("library").partition("=")
        given["ca_certificates"] = Path(given["ca_certificates"]).read_text()
        provider = StripeProvider(StripeCredentials.model_validate(given))
        provider.check()
        rail = provider.rails()[0]
        session = rail.instruct(order)
        assert session.answered == PaymentResult.SESSION

        stripe.stdin.write("pay\n")
        stripe.stdin.flush()
        assert stripe.stdout.readline().startswith("  payment_intent.amount_capturable_updated pi_")
        with urlopen(script) as library:
            assert b"createElement" in library.read()
        paid = rail.capture(replace(order, details=session.details))
        assert paid.answered == PaymentResult.DONE
        stripe.stdin.write("dispute\nlost\npayout\nquit\n")
        stripe.stdin.flush()
        told = stripe.stdout.read().splitlines()
        assert [line.split()[0] for line in told[:2]] == ["charge.dispute.created", "charge.dispute.closed"]
        assert told[2].strip() == "3 transactions; paid out: -63.37"
        assert stripe.wait(10) == 0
