"""What an account at Stripe needs, from its dashboard."""

from typing import Annotated, ClassVar

from django.utils.translation import gettext
from pydantic import Field, SecretStr, StringConstraints, model_validator

from gateway.providers.fields import OtherAddress, OtherAuthorities
from gateway.providers.provider import Credentials

API, FILES = "https://api.stripe.com", "https://files.stripe.com"
SECRET_KEYS = ("sk_live_", "rk_live_", "sk_test_", "rk_test_")
SigningSecret = Annotated[SecretStr, Field(min_length=16)]


class StripeCredentials(Credentials):
    """The keys tell the live system from the test system. While the signing secret changes, both are accepted."""

    identified_by: ClassVar[tuple[tuple[str, ...], ...]] = (("publishable_key",),)

    secret_key: Annotated[
        SecretStr,
        Field(
            title="Secret key",
            description="May be restricted to PaymentIntents, PaymentMethods, Customers, Charges, Refunds, Disputes "
            "and Files, and reading Balance and Payouts",
        ),
    ]
    publishable_key: Annotated[str, StringConstraints(pattern=r"^pk_(live|test)_[A-Za-z0-9_]{8,200}$")]
    signing_secret: Annotated[
        SigningSecret | None,
        Field(title="Signing secret of the webhook", description="Stripe shows it once the address is registered"),
    ] = None
    other_signing_secret: Annotated[
        SigningSecret | None, Field(title="Second signing secret", description="The former one, while it changes")
    ] = None
    base_url: OtherAddress = None
    ca_certificates: OtherAuthorities = None

    @property
    def is_live(self) -> bool:
        return self.publishable_key.startswith("pk_live_")

    @property
    def address(self) -> str:
        """Where the API begins."""
        return self.base_url or API

    @property
    def files_address(self) -> str:
        """Where files are uploaded."""
        return self.base_url or FILES

    @property
    def signing_secrets(self) -> list[str]:
        """The secrets that a webhook may be signed with."""
        return [one.get_secret_value() for one in (self.signing_secret, self.other_signing_secret) if one]

    @model_validator(mode="after")
    def _is_of_one_system(self) -> "StripeCredentials":
        key = self.secret_key.get_secret_value()
        if not key.startswith(SECRET_KEYS):
            raise ValueError(gettext("The secret key begins with sk_live_, rk_live_, sk_test_ or rk_test_."))
        if key[3:7] != self.publishable_key[3:7]:
            raise ValueError(
                gettext("Secret key and publishable key are of different systems: one is live, one of the test.")
            )
        return self
