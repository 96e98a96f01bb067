"""What an account at STP needs: the name of the company there, its CLABE, and the key that signs its requests."""

from functools import cached_property
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Annotated, ClassVar, Literal

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from django.utils.translation import gettext
from pydantic import AfterValidator, Field, SecretStr, StringConstraints, model_validator

from gateway.methods.spei.clabe import is_clabe
from gateway.providers.certificates import SigningPem
from gateway.providers.fields import Fingerprints, OtherAddress, OtherAuthorities
from gateway.providers.provider import Credentials, Message
from gateway.providers.stp.signing import load_key

PRODUCTION, DEMO = "https://prod.stpmex.com", "https://demo.stpmex.com:7024"
CLABE_DIGITS = 17
"""Without the check digit."""


def _clabe(number: str) -> str:
    if not is_clabe(number):
        raise ValueError(gettext("This must be 18 digits, the last of them the check digit."))
    return number


def _networks(text: str) -> str:
    """Raises ValueError for anything but addresses and networks."""
    return " ".join(str(ip_network(one)) for one in text.split())


class StpCredentials(Credentials):
    """Callbacks are believed to be STP's by their source address, or by the client certificate of STP."""

    identified_by: ClassVar[tuple[tuple[str, ...], ...]] = (("clabe",),)
    ranges: ClassVar[tuple[tuple[str, str], ...]] = (("clabe_prefix", "clabe"),)

    environment: Annotated[Literal["production", "demo"], Field(title="System of STP")]
    empresa: Annotated[
        str,
        StringConstraints(pattern=r"^[A-Za-z0-9_]{1,15}$"),
        Field(title="Company (empresa)", description="The name under which STP knows the account"),
    ]
    holder: Annotated[str, StringConstraints(min_length=1, max_length=40), Field(title="Holder of the account")]
    tax_id: Annotated[str, StringConstraints(pattern=r"^([A-Z&Ñ0-9]{12,13})?$"), Field(title="RFC of the holder")] = ""
    clabe: Annotated[
        str, AfterValidator(_clabe), Field(title="CLABE of the account", description="Withdrawals are paid from it")
    ]
    clabe_prefix: Annotated[
        str,
        StringConstraints(pattern=r"^646[0-9]{7,10}$"),
        Field(
            title="Prefix of CLABEs for payments",
            description="Digits of STP that only payments use: 10, so that seven digits count them, or up to 13",
        ),
    ]
    private_key: Annotated[SecretStr, SigningPem(), Field(title="Private key that signs requests")]
    passphrase: Annotated[
        SecretStr | None, Field(title="Pass phrase of the private key", description="Empty if it has none")
    ] = None
    callback_addresses: Annotated[
        str,
        AfterValidator(_networks),
        Field(title="Addresses of STP's callbacks", description="Addresses or networks, separated by spaces"),
    ] = ""
    callback_fingerprints: Fingerprints = ""
    base_url: OtherAddress = None
    ca_certificates: OtherAuthorities = None

    @property
    def is_live(self) -> bool:
        return self.environment == "production"

    @property
    def address(self) -> str:
        """Where the API begins."""
        return self.base_url or (PRODUCTION if self.is_live else DEMO)

    @property
    def numbers(self) -> range:
        """The CLABEs of payments without their check digit. The first one is usually the account's own."""
        size = 10 ** (CLABE_DIGITS - len(self.clabe_prefix))
        first = int(self.clabe_prefix) * size
        return range(first + 1, first + size)

    @cached_property
    def key(self) -> RSAPrivateKey:
        return load_key(
            self.private_key.get_secret_value(), self.passphrase.get_secret_value() if self.passphrase else None
        )

    def sent(self, message: Message) -> bool:
        """Whether a message came from STP: from one of its addresses, or with its client certificate."""
        if message.certificate and message.certificate in self.callback_fingerprints.split():
            return True
        return message.source is not None and any(
            ip_address(message.source) in network for network in self._callback_networks
        )

    @cached_property
    def _callback_networks(self) -> list[IPv4Network | IPv6Network]:
        return [ip_network(one) for one in self.callback_addresses.split()]

    @model_validator(mode="after")
    def _has_a_key(self) -> "StpCredentials":
        _ = self.key
        if int(self.clabe[:CLABE_DIGITS]) in self.numbers:
            raise ValueError(gettext("The account's own CLABE is one of those for payments."))
        return self
