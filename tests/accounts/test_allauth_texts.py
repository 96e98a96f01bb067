"""allauth's pages speak as ours do: what its translators put differently is replaced."""

import re
from pathlib import Path

import allauth
import polib
import pytest
from django.conf import settings
from django.test import Client
from django.utils import translation

OURS = Path(settings.BASE_DIR) / "gateway" / "allauth_locale"
THEIRS = Path(allauth.__file__).parent / "locale"
every_language = pytest.mark.parametrize("locale", ["es", "pt_BR"])
_PLACEHOLDER = re.compile(r"%\(\w+\)s|{\w*}|<[^>]*>")
_INFORMAL = re.compile(r"\b(tu|tus|ti|estás|puedes|introduce|ingresa|utiliza|tienes)\b", re.IGNORECASE)


def catalogue(root: Path, locale: str) -> polib.POFile:
    return polib.pofile(str(root / locale / "LC_MESSAGES" / "django.po"))


@every_language
def test_each_replaces_a_text_that_allauth_has_and_keeps_its_placeholders(locale: str) -> None:
    theirs = {entry.msgid for entry in catalogue(THEIRS, locale)}

    for entry in catalogue(OURS, locale):
        assert entry.msgid in theirs
        assert sorted(_PLACEHOLDER.findall(entry.msgstr)) == sorted(_PLACEHOLDER.findall(entry.msgid)), entry.msgid
        assert not _INFORMAL.search(entry.msgstr), entry.msgid


@every_language
def test_what_runs_is_what_is_written(locale: str) -> None:
    with translation.override(translation.to_language(locale)):
        for entry in catalogue(OURS, locale):
            assert translation.gettext(entry.msgid) == entry.msgstr


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "said"),
    [("es", "Iniciar sesión con una llave de acceso"), ("pt-BR", "Entrar com uma chave de acesso")],
)
def test_the_entrance_names_a_passkey_as_telephones_do(language: str, said: str) -> None:
    page = Client(headers={"accept-language": language}).get("/accounts/login/")

    assert said in page.content.decode()
