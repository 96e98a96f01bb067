"""Companies, people, keys, permissions and the clock."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = _("Companies and people")

    def ready(self) -> None:
        from accounts.proposals import companies, people  # noqa: F401  (they register themselves)
