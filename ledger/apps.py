"""The books and wallets."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class LedgerConfig(AppConfig):
    name = "ledger"
    verbose_name = _("Ledger")

    def ready(self) -> None:
        from ledger import invariants  # noqa: F401  (they register themselves)
        from ledger.closings import invariants as of_closings  # noqa: F401
        from ledger.holds import invariants as of_holds  # noqa: F401
        from ledger.proofs import invariants as of_proofs  # noqa: F401
        from ledger.rates import proposals  # noqa: F401
        from ledger.receivables import invariants as of_receivables  # noqa: F401
        from ledger.wallets import closing  # noqa: F401
