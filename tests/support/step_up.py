"""Requests that wait until their person has shown the second factor."""

import re
from typing import Any
from uuid import uuid4

from django.test import Client

from tests.support.forms import form_in

CONFIRM = "/accounts/confirm/"


CODE = "/accounts/2fa/reauthenticate/"


def an_invitation(email: str = "evil@attacker.example") -> dict[str, str]:
    return {"email": email, "role": "OWNER", "once": str(uuid4())}


def confirmed(browser: Client, shown: Any) -> Any:
    """Presses the button of the page that was shown."""
    forms = re.findall(r'<form method="post" action="([^"]+)">(.*?)</form>', shown.content.decode(), re.DOTALL)
    [where] = [address for address, content in forms if 'name="confirms"' in content]
    return browser.post(where, form_in(shown.content))
