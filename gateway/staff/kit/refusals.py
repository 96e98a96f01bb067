"""Refusals and faults in the language of staff: on the wire they are in English only."""

from django.utils import translation

from accounts.base.errors import Refusal


def sentences(refusal: Refusal) -> list[str]:
    """What is wrong, each fault, and what to do."""
    advice = [translation.gettext(refusal.advice)] if refusal.advice else []
    return [translation.gettext(refusal.message), *(fault.in_words() for fault in refusal.faults), *advice]


def in_words(refusal: Refusal) -> str:
    """All of it."""
    return " ".join(sentences(refusal))
