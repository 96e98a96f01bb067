"""The RSGI entry: the fast path and Django, behind the body reader."""

from gateway.wsgi import application as django

# isort: split
# The reader imports parts of the gateway, so Django must be set up before.
from gateway.api.fast_path.answering import answer_all
from gateway.api.fast_path.calls import look
from gateway.serving.application import Application, FastPath

application = Application(django, FastPath(look, answer_all))
