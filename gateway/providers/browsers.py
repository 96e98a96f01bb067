"""What the payer's browser loads from acquirers: their libraries, and the origins that a page with their fields allows.

Each has an adapter of its name in static/sdk/acquirers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings


@dataclass(frozen=True, slots=True)
class Browser:
    """An acquirer's library, which its adapter loads from the origin of `script` only."""

    script: str
    scripts: Sequence[str]
    connections: Sequence[str]
    frames: Sequence[str]
    styles: Sequence[str] = ()
    images: Sequence[str] = ()
    style: str | None = None

    def policy(self) -> dict[str, list[str]]:
        """Sources by directive of a content security policy."""
        directives = {
            "script-src": self.scripts,
            "connect-src": self.connections,
            "frame-src": self.frames,
            "style-src": self.styles,
            "img-src": self.images,
        }
        return {name: list(sources) for name, sources in directives.items() if sources}


def _adyen(environment: str) -> Browser:
    """The hosts of adyen-web, as its module core/Environment names them."""
    library = f"https://checkoutshopper-{environment}.cdn.adyen.com"
    api = f"https://checkoutshopper-{environment}.adyen.com"
    return Browser(
        script=f"{library}/checkoutshopper/sdk/6.45.2/adyen.js",
        style=f"{library}/checkoutshopper/sdk/6.45.2/adyen.css",
        scripts=(library,),
        connections=(library, api, f"https://checkoutanalytics-{environment}.adyen.com"),
        frames=(api,),
        styles=(library,),
        images=(library,),
    )


_DECLARED: Mapping[str, Mapping[str, Browser]] = {
    # https://docs.stripe.com/security/guide#content-security-policy
    "stripe": {
        "live": Browser(
            script="https://js.stripe.com/v3/",
            scripts=("https://js.stripe.com", "https://*.js.stripe.com"),
            connections=("https://api.stripe.com",),
            frames=("https://js.stripe.com", "https://*.js.stripe.com", "https://hooks.stripe.com"),
        )
    },
    # https://docs.adyen.com/online-payments/script-security-compliance/manage-script-security
    "adyen": {
        environment: _adyen(environment)
        for environment in ("live", "live-us", "live-au", "live-apse", "live-in", "live-nea", "test")
    },
}


def browsers() -> dict[str, dict[str, Browser]]:
    """By acquirer and its environment, the usual one first.

    On a developer's machine ACQUIRER_SCRIPTS replaces an acquirer's library, and its origin is the only one then.
    """
    return {
        acquirer: {environment: _replaced(acquirer, one) for environment, one in declared.items()}
        for acquirer, declared in _DECLARED.items()
    }


def origin_of(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def browser_of(acquirer: str, environment: str = "live") -> Browser:
    return browsers()[acquirer][environment]


def _replaced(acquirer: str, declared: Browser) -> Browser:
    script = settings.ACQUIRER_SCRIPTS.get(acquirer)
    if script is None:
        return declared
    here = (origin_of(script),)
    return Browser(script, here, here, here, styles=here, images=here)
