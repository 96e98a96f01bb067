"""What the proofs of the books found."""

from django.db import models


class Proof(models.Model):
    """One run over every invariant. Without `finished_at` it is running, or it was stopped on its way."""

    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    invariants = models.SmallIntegerField(default=0, help_text="How many were checked")
    violations = models.JSONField(default=list, help_text="Number, claim and counterexamples of what does not hold")

    def __str__(self) -> str:
        return f"Proof of {self.started_at:%Y-%m-%d %H:%M:%S}Z"

    @property
    def holds(self) -> bool | None:
        """Whether the books were right then; None where the run did not come to its end."""
        return None if self.finished_at is None else not self.violations
