"""Descriptions of event types, in the reader's language."""

from django.utils import translation
from django.utils.functional import Promise

from webhooks.kinds import KINDS

KIND: dict[str, Promise] = {kind: translation.gettext_lazy(when) for kind, when in KINDS.items()}
