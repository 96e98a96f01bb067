"""Companies, people, keys, permissions and the clock."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = "Companies and people"

    def ready(self) -> None:
        from accounts.proposals import companies, people  # noqa: F401  (they register themselves)
