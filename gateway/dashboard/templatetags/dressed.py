"""Third-party forms in the look of the dashboard."""

from django import forms, template

from gateway.dashboard.forms import dress

register = template.Library()


@register.simple_tag
def dressed(form: forms.Form) -> forms.Form:
    dress(form)
    return form
