"""Refusals that have no words of their own in the dashboard are told as the docs tell them."""

from django.utils import translation

from gateway.dashboard.refusals import IN_WORDS, in_words
from gateway.serving.errors import BodyTooLarge


def test_a_refusal_without_words_of_its_own_is_in_the_readers_language() -> None:
    refusal = BodyTooLarge()
    assert refusal.code not in IN_WORDS
    assert in_words(refusal) == f"{refusal.message} {refusal.advice}"
    with translation.override("pt-br"):
        told = in_words(refusal)
    assert told.startswith("O corpo é grande demais. ") and refusal.advice not in told
