"""Every sentence with which the service refuses, in one file that is reviewed as text: tests/rules/refusals.txt.

`UPDATE=1 make test T=tests/rules/test_refusals.py` writes it again; the change is read in the commit.
"""

import ast
import os
from importlib import import_module
from pathlib import Path

import pytest
from django.utils import translation
from django.utils.translation import gettext

from accounts.base.errors import Refusal, catalogue
from gateway.api.inputs import fields
from tests.support.sources import SOURCES, modules, nodes

SNAPSHOT = Path(__file__).with_name("refusals.txt")


@pytest.fixture(autouse=True)
def everything_is_imported() -> None:
    """A refusal is known once its module is."""
    for name in modules():
        if name.endswith(".errors"):
            import_module(name)


def _text(refusal: type[Refusal]) -> str:
    return f"{refusal.code}\n    {refusal.message}\n    {refusal.advice}\n"


def test_the_sentences_are_those_that_were_reviewed() -> None:
    text = "\n".join(map(_text, catalogue()))
    if os.environ.get("UPDATE"):
        SNAPSHOT.write_text(text)
    assert text == SNAPSHOT.read_text()


def test_every_refusal_says_what_is_wrong_and_what_to_do_in_whole_sentences() -> None:
    wrong = [
        refusal.code
        for refusal in catalogue()
        if not (refusal.message.endswith(".") and refusal.advice.endswith("."))
        or not (refusal.message[0].isupper() or refusal.message.split()[0].rstrip(",") in PARAMETERS)
    ]
    assert len(catalogue()) > 100
    assert not wrong


PARAMETERS = {"events", "pageNumber", "expiresIn", "companyId", "paymentMethodToken"}
"""Members of requests with which a sentence may begin."""


@pytest.mark.parametrize("language", ["pt-br", "es"])
def test_every_sentence_is_translated(language: str) -> None:
    said = {text for refusal in catalogue() for text in (refusal.message, refusal.advice)}
    with translation.override(language):
        assert sorted(text for text in said if gettext(text) == text) == []


def _said_of_members() -> list[ast.expr]:
    """The sentences of faults, where they are written: the third argument of `Fault`, the second of `wrong`."""
    place = {"Fault": 2, "wrong": 1}
    calls = [node for path in SOURCES for node in nodes(path) if isinstance(node, ast.Call)]
    return [
        call.args[place[call.func.id]]
        for call in calls
        if isinstance(call.func, ast.Name) and len(call.args) > place.get(call.func.id, len(call.args))
    ]


def test_the_sentence_of_a_fault_is_constant_so_that_it_can_be_translated() -> None:
    """What varies is in its `facts`."""
    assert [ast.unparse(said) for said in _said_of_members() if isinstance(said, ast.JoinedStr)] == []


@pytest.mark.parametrize("language", ["pt-br", "es"])
def test_every_sentence_of_a_fault_is_translated(language: str) -> None:
    said = {one.value for one in _said_of_members() if isinstance(one, ast.Constant)}
    listed = {sentence for _code, sentence in fields._KNOWN.values()}
    assert len(said) > 80
    with translation.override(language):
        assert sorted(text for text in said | listed if gettext(text) == text) == []
