"""What of the API is deprecated, and how its responses say so (contract §16, RFC 9745, RFC 8594)."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.utils.http import http_date

NOTICE = timedelta(days=365)
"""A removal is announced at least this long before."""
MEMBERS = {
    ("ConfirmCardPayload", "sessionToken"): "clientSecret",
    ("ConfirmCardPayload", "checkoutUrl"): "clientSecret, unless integrationMode is HOSTED",
}
"""Members of answers that are deprecated without a date, with what replaces them. They stay for all of v2."""


@dataclass(frozen=True, slots=True)
class Deprecation:
    """Of an operation: `@operation(..., deprecated=Deprecation(...))`. Without `sunset` no end is decided."""

    since: datetime
    sunset: datetime | None = None
    instead: str = ""

    def __post_init__(self) -> None:
        assert self.since.tzinfo is UTC
        assert self.sunset is None or self.sunset >= self.since + NOTICE, "announce a removal 12 months before"

    def headers(self) -> dict[str, str]:
        """What every response of the operation carries, also a refusal."""
        guide = f"{settings.BASE_URL}/docs/versioning"
        links = [f'<{guide}>; rel="deprecation"; type="text/html"']
        headers = {"Deprecation": f"@{int(self.since.timestamp())}"}
        if self.sunset:
            headers["Sunset"] = http_date(self.sunset.timestamp())
            links.append(f'<{guide}>; rel="sunset"; type="text/html"')
        return headers | {"Link": ", ".join(links)}
