"""Cards at an acquirer: the payer types into the acquirer's own fields, so that no number reaches us."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from gateway.methods.card.method import CardMethod
from gateway.methods.rail import PaymentOrder, PaymentOutcome


class AcquirerCard(CardMethod):
    """Cards of one kind at an acquirer.

    `instruct` answers SESSION: details are `session` ({integrationMode}) and the acquirer's own ids, and sealed what
    only the payer's browser may know. `ask` reports AUTHORIZED, DECLINED or DONE as `confirm` does, and WAITING while
    the payer has not confirmed. A payment that was declined is canceled before it fails; `cancel` also voids.
    """

    @property
    @abstractmethod
    def library(self) -> tuple[str, str]:
        """Whose library the browser loads, and of which of its environments."""

    is_asked_seldom: ClassVar[bool] = True

    @abstractmethod
    def fields(self, order: PaymentOrder) -> dict[str, Any]:
        """What the browser needs to mount the acquirer's fields, as plain JSON. Calls nobody."""

    @abstractmethod
    def confirm(self, order: PaymentOrder, given: Mapping[str, Any] | None) -> PaymentOutcome:
        """The payer has confirmed in the fields; `given` is what the acquirer's browser library handed over, if
        anything. It is never stored or logged.

        AUTHORIZED with `details.card` (brand, last4, funding); CHALLENGE with `details.action`, which the browser
        library must do now; DECLINED by the issuer; REFUSED by the acquirer, which authorized nothing; NOT_RECEIVED if
        nothing could be sent, now or before; WAITING if the payer has not confirmed yet.
        """
