"""The RSGI entry: Django, behind the body reader."""

from gateway.wsgi import application as django

# isort: split
# The reader knows parts of the gateway, which Django must have set up before they are imported.
from gateway.serving.application import Application

application = Application(django)
