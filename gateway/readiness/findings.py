"""What a probe finds: cases for and against the integration, each with its evidence."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import models

MOST = 5
"""Cases that are shown of one probe."""


class Verdict(models.TextChoices):
    PASSED = "PASSED", "Passed"
    FAILED = "FAILED", "Failed"
    NOT_OBSERVED = "NOT_OBSERVED", "Not observed"


@dataclass(frozen=True, slots=True)
class Case:
    """Something that the shop did right or wrong, and the ids of what shows it."""

    is_right: bool
    evidence: tuple[str, ...]


def right(*evidence: str) -> Case:
    return Case(True, evidence)


def wrong(*evidence: str) -> Case:
    return Case(False, evidence)


@dataclass(frozen=True, slots=True)
class Finding:
    """One wrong case fails a probe; without any case nothing was observed."""

    verdict: Verdict
    evidence: tuple[str, ...] = ()


def finding(cases: Iterable[Case]) -> Finding:
    """The verdict, with the evidence of the cases that decided it, oldest first."""
    all_cases = list(cases)
    if not all_cases:
        return Finding(Verdict.NOT_OBSERVED)
    failed = [one for one in all_cases if not one.is_right]
    shown = (failed or all_cases)[:MOST]
    evidence = tuple(dict.fromkeys(found for one in shown for found in one.evidence))
    return Finding(Verdict.FAILED if failed else Verdict.PASSED, evidence)
