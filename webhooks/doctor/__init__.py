"""Why a receiver reports "signature mismatch": one verdict from what it got, its secret and our records."""

from webhooks.doctor.body import of_the_body, unexplained
from webhooks.doctor.message import diagnose_headers, other_signer, read_message
from webhooks.doctor.secret import of_the_secret
from webhooks.doctor.verdicts import Diagnosis, Known, Received, Verdict, both, unknown

__all__ = ["Diagnosis", "Known", "Received", "Verdict", "diagnose"]


def diagnose(received: Received, known: Known) -> Diagnosis:
    """Checks in order: the secret in use, who signed the message, its body, the clock."""
    message = _of_the_message(received, known)
    secret = received.secret
    found = of_the_secret(secret, known) if secret and secret.strip() else None
    if found is None:
        return message
    if message.verdict in (Verdict.OK, Verdict.UNKNOWN):
        return found
    return both(found, message)


def _of_the_message(received: Received, known: Known) -> Diagnosis:
    message = read_message(received.headers)
    if not message.signatures():
        return unknown(
            f"The signature cannot be checked: {', '.join(message.unreadable())}.",
            "Give all headers as they arrived, and see that no proxy drops or rewrites them.",
        )
    fitting = message.fitting(known.secret, received.body)
    if fitting:
        return diagnose_headers(message, fitting, received.at)
    return (
        other_signer(message, received.body, known)
        or of_the_body(message, received.body, known)
        or unexplained(message, received.body, known)
    )
