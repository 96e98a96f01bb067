"""How long a request may wait in PostgreSQL."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Milliseconds, named as in PostgreSQL."""

    lock_timeout: int = 2_000
    statement_timeout: int = 10_000
    idle_in_transaction_session_timeout: int = 15_000

    def as_options(self) -> str:
        """As connection options."""
        return " ".join(f"-c {name}={value}" for name, value in vars(self).items())
