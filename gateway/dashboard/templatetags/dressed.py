"""Renders third-party forms with the dashboard's styles."""

from django import forms, template

from gateway.dashboard.forms import style

register = template.Library()


@register.simple_tag
def dressed(form: forms.Form) -> forms.Form:
    style(form)
    return form
