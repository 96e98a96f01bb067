"""What an account at Adyen needs, from its Customer Area."""

from typing import Annotated, ClassVar, Literal

from django.utils.translation import gettext
from pydantic import Field, SecretStr, StringConstraints, model_validator

from gateway.providers.fields import OtherAddress, OtherAuthorities
from gateway.providers.provider import Credentials

VERSION = "v72"
CUSTOMER_AREA_TEST, CUSTOMER_AREA_LIVE = "https://ca-test.adyen.com", "https://ca-live.adyen.com"
TEST, LIVE = "https://checkout-test.adyen.com", "https://{}-checkout-live.adyenpayments.com/checkout"
HmacKey = Annotated[SecretStr, Field(min_length=64, max_length=64)]


class AdyenCredentials(Credentials):
    """The client key tells the live system from the test system. While the HMAC key changes, both are accepted."""

    identified_by: ClassVar[tuple[tuple[str, ...], ...]] = (("merchant_account",),)

    api_key: Annotated[SecretStr, Field(min_length=20, title="API key")]
    merchant_account: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,80}$")]
    client_key: Annotated[str, StringConstraints(pattern=r"^(live|test)_[A-Z0-9]{1,64}$")]
    region: Annotated[
        Literal["", "us", "au", "apse", "in", "nea"],
        Field(title="Region of the live card fields", description="Empty: Europe"),
    ] = ""
    live_url_prefix: Annotated[str, StringConstraints(pattern=r"^([A-Za-z0-9]+-[A-Za-z0-9]+)?$")] = ""
    hmac_key: Annotated[HmacKey, Field(title="HMAC key of the webhook", description="64 hexadecimal digits")]
    other_hmac_key: Annotated[
        HmacKey | None, Field(title="Second HMAC key", description="The next or the former one, while it changes")
    ] = None
    report_api_key: Annotated[
        Annotated[SecretStr, Field(min_length=20)] | None,
        Field(title="API key of the report user", description="Empty: staff upload the settlement reports"),
    ] = None
    base_url: OtherAddress = None
    reports_url: Annotated[OtherAddress, Field(title="Another address of the reports")] = None
    ca_certificates: OtherAuthorities = None

    @property
    def is_live(self) -> bool:
        return self.client_key.startswith("live_")

    @property
    def address(self) -> str:
        """Where the API begins."""
        own = LIVE.format(self.live_url_prefix) if self.is_live else TEST
        return f"{self.base_url or own}/{VERSION}"

    @property
    def disputes(self) -> str:
        """Where the calls of the Disputes API begin."""
        own = CUSTOMER_AREA_LIVE if self.is_live else CUSTOMER_AREA_TEST
        return f"{self.base_url or own}/ca/services/DisputeService/v30/"

    @property
    def reports(self) -> str:
        """Where reports are downloaded."""
        return self.reports_url or (CUSTOMER_AREA_LIVE if self.is_live else CUSTOMER_AREA_TEST)

    @property
    def environment(self) -> str:
        """That of Adyen's browser library."""
        return "-".join(filter(None, ("live", self.region))) if self.is_live else "test"

    @property
    def hmac_keys(self) -> list[str]:
        """The keys that a webhook may be signed with."""
        return [key.get_secret_value() for key in (self.hmac_key, self.other_hmac_key) if key]

    @model_validator(mode="after")
    def _is_complete(self) -> "AdyenCredentials":
        if self.is_live and not (self.live_url_prefix or self.base_url):
            raise ValueError(gettext("Live credentials need the live URL prefix."))
        try:
            all(map(bytes.fromhex, self.hmac_keys))
        except ValueError:
            raise ValueError(gettext("An HMAC key is 64 hexadecimal digits.")) from None
        return self
