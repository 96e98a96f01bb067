"""The RSGI entry: Django, behind the body reader."""

from gateway.wsgi import application as django

# isort: split
# The reader imports parts of the gateway, so Django must be set up before.
from gateway.serving.application import Application

application = Application(django)
