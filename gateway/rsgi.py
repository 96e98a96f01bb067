"""What the web server serves: Django, behind a reader of bodies."""

from gateway.wsgi import application as django

# isort: split
# The reader knows parts of the gateway, which Django must have set up before they are imported.
from gateway.serving.application import Application

application = Application(django)
