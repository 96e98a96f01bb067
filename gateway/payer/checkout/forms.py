"""Fields that the checkout asks the payer for if the order lacks them."""

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _

SANDBOX_BANKS = (("", "…"), ("SANDBOX", "Banco Sandbox"), ("PRUEBA", "Banco de Prueba"))


class PayerForm(forms.Form):
    """Contains only the fields that the method requires."""

    bank = forms.ChoiceField(label=_("Your bank"), choices=SANDBOX_BANKS)
    person = forms.ChoiceField(
        label=_("You pay as"), choices=(("NATURAL", _("a person")), ("LEGAL", _("a company"))), widget=forms.RadioSelect
    )
    phone = forms.CharField(
        label=_("Your Nequi number"),
        validators=[
            RegexValidator(r"^(\+?57)?\s*3[0-9]{2}\s*[0-9]{3}\s*[0-9]{4}$", _("Ten digits that start with 3."))
        ],
        widget=forms.TextInput({"type": "tel", "autocomplete": "tel", "inputmode": "tel"}),
    )
    email = forms.EmailField(label=_("Your e-mail"), widget=forms.EmailInput({"autocomplete": "email"}))

    def __init__(self, data: object, *, asked: tuple[str, ...]) -> None:
        super().__init__(data, auto_id="%s")  # type: ignore[arg-type]
        for name in set(self.fields) - set(asked):
            del self.fields[name]
        for name in self.errors:
            self.fields[name].widget.attrs |= {"aria-invalid": "true", "aria-describedby": f"{name}-error"}

    def answers(self) -> dict[str, str]:
        """The payer's answers."""
        return {name: str(answer) for name, answer in self.cleaned_data.items()}
