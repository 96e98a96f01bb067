"""Disputes and evidence at Stripe, which localstripe lacks, by a fake of ours."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from email import message_from_bytes
from email.policy import HTTP
from typing import Any
from urllib.parse import parse_qs, urlsplit

Told = tuple[int, str, bytes]


def dispute(charge: str, amount: int, currency: str = "brl", **other: Any) -> dict[str, Any]:
    """As the library's types and the published example have it."""
    due_by = int(time.time()) + 8 * 86_400
    return {
        "id": "dp_1Pgc71B7WZ01zgkWMevJiAUx",
        "object": "dispute",
        "amount": amount,
        "balance_transactions": [],
        "charge": charge,
        "created": int(time.time()),
        "currency": currency,
        "enhanced_eligibility_types": [],
        "evidence": {},
        "evidence_details": {
            "due_by": due_by,
            "enhanced_eligibility": {},
            "has_evidence": False,
            "past_due": False,
            "submission_count": 0,
        },
        "is_charge_refundable": False,
        "livemode": True,
        "metadata": {},
        "payment_intent": None,
        "payment_method_details": None,
        "reason": "product_not_received",
        "status": "needs_response",
    } | other


def file(number: int, size: int) -> dict[str, Any]:
    return {
        "id": f"file_1Pgag2B7WZ01zgkWITx3dI{number:02}",
        "object": "file",
        "created": int(time.time()),
        "expires_at": None,
        "filename": "proof.pdf",
        "links": None,
        "purpose": "dispute_evidence",
        "size": size,
        "title": None,
        "type": "pdf",
        "url": None,
    }


@dataclass
class Desk:
    """The disputes of an account, and the files that were uploaded: (name, content)."""

    disputes: dict[str, dict[str, Any]] = field(default_factory=dict)
    files: list[tuple[str, bytes]] = field(default_factory=list)
    evidence: list[dict[str, str]] = field(default_factory=list)

    def open(self, charge: str, amount: int, **other: Any) -> dict[str, Any]:
        made = dispute(charge, amount, **other)
        self.disputes[made["id"]] = made
        return made

    def has(self, path: str) -> bool:
        return path.startswith(("/v1/disputes", "/v1/files"))

    def answer(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Told:
        parts = urlsplit(path).path.removeprefix("/v1/").split("/")
        if parts == ["files"]:
            return self._upload(headers["content-type"], body)
        if parts == ["disputes"]:
            return _told({"object": "list", "data": list(self.disputes.values()), "has_more": False, "url": "/v1"})
        known = self.disputes.get(parts[1])
        if known is None:
            return _refused(404, "resource_missing")
        if method == "GET":
            return _told(known)
        return self._close(known) if parts[2:] == ["close"] else self._submit(known, parse_qs(body.decode()))

    def _upload(self, kind: str, body: bytes) -> Told:
        parts = list(message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode() + body, policy=HTTP).iter_parts())
        fields = {part.get_param("name", header="content-disposition"): part for part in parts}
        assert fields["purpose"].get_content().strip() == "dispute_evidence"
        content = fields["file"].get_payload(decode=True)
        self.files.append((str(fields["file"].get_filename()), content))
        return _told(file(len(self.files), len(content)))

    def _submit(self, known: dict[str, Any], sent: dict[str, list[str]]) -> Told:
        if not known["status"].endswith("needs_response"):
            return _refused(400, "dispute_not_open")
        evidence = {name[9:-1]: values[0] for name, values in sent.items() if name.startswith("evidence[")}
        assert sent["submit"] == ["true"]
        self.evidence.append(evidence)
        known["status"] = known["status"].replace("needs_response", "under_review")
        known["evidence_details"] |= {"has_evidence": True, "submission_count": 1}
        return _told(known)

    def _close(self, known: dict[str, Any]) -> Told:
        if known["status"] != "needs_response":
            return _refused(400, "dispute_not_open")
        known["status"] = "lost"
        return _told(known)


def _told(subject: Any) -> Told:
    return 200, "application/json", json.dumps(subject).encode()


def _refused(status: int, code: str) -> Told:
    error = {"error": {"type": "invalid_request_error", "code": code, "message": "No."}}
    return status, "application/json", json.dumps(error).encode()
