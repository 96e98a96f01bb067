"""Tax documents as printed, and the part of them that a receipt may show."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Form:
    """The format of a type of document: `#` stands for a character. The characters in `visible` may be shown."""

    written: str
    visible: range


_FORMS = {
    "CPF": Form("###.###.###-##", range(3, 9)),
    "CNPJ": Form("##.###.###/####-##", range(2, 8)),
    "CUIT": Form("##-########-#", range(4, 7)),
    "CUIL": Form("##-########-#", range(4, 7)),
}
_VISIBLE = 3


def written(tax_id: str, kind: str | None) -> str:
    """With the punctuation that is customary in its country."""
    return _filled(_form(tax_id, kind), tax_id)


def masked(tax_id: str, kind: str | None) -> str:
    """Masks the outer characters; the payer knows them, and nobody else needs them."""
    form = _form(tax_id, kind)
    return _filled(form, "".join(c if place in form.visible else "*" for place, c in enumerate(tax_id)))


def _form(tax_id: str, kind: str | None) -> Form:
    form = _FORMS.get(kind or "")
    if form and form.written.count("#") == len(tax_id):
        return form
    visible = min(_VISIBLE, len(tax_id) // 3)
    first = (len(tax_id) - visible) // 2
    return Form("#" * len(tax_id), range(first, first + visible))


def _filled(form: Form, characters: str) -> str:
    rest = iter(characters)
    return "".join(next(rest) if place == "#" else place for place in form.written)
