"""Results of the proofs of the books."""

from django.db import models
from django.utils.translation import gettext


class Proof(models.Model):
    """One run over all invariants. Without `finished_at` it is running or was interrupted."""

    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    invariants = models.SmallIntegerField(default=0, help_text="How many were checked")
    violations = models.JSONField(default=list, help_text="Number, claim and counterexamples of what does not hold")

    def __str__(self) -> str:
        return gettext("Proof of %(time)s") % {"time": f"{self.started_at:%Y-%m-%d %H:%M:%S}Z"}

    @property
    def holds(self) -> bool | None:
        """Whether the books were right; None if the run did not finish."""
        return None if self.finished_at is None else not self.violations
