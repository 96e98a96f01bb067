"""Access tokens of OAuth2 client credentials (RFC 6749, section 4.4), kept as long as they are valid."""

import re
import time
from base64 import b64encode
from dataclasses import replace
from threading import Lock

from gateway.providers.client import Answer, Call, Client
from gateway.providers.errors import CallFailed, NotSent, ScopeRefused

MARGIN_S = 60
"""How long before its end a token is renewed. Time is measured from our own request on, so clocks need not agree."""
UNTOLD_S = 300
LONGEST_S = 10**9
_TOKEN, _DIGITS = re.compile("[!-~]+"), re.compile("[0-9]{1,9}")
KNOWN_ERRORS = ("invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "invalid_scope")


class AuthorizedClient:
    """A client whose calls carry an access token."""

    def __init__(self, client: Client, token_url: str, client_id: str, client_secret: str, scopes: str) -> None:
        pair = b64encode(f"{client_id}:{client_secret}".encode()).decode()
        form = {"grant_type": "client_credentials", "scope": scopes}
        self._client = client
        self._request = Call("POST", token_url, form=form, headers={"Authorization": f"Basic {pair}"})
        self._lock = Lock()
        self._token, self._valid_until = "", 0.0

    def send(self, call: Call) -> Answer:
        """As `Client.send`. A refused token is renewed once; 401 means that the request was not applied (RFC 9110).

        Raises NotSent without a valid token, too: ScopeRefused if this client gets none for these scopes.
        """
        for _ in range(2):
            token = self.token()
            answer = self._client.send(replace(call, headers={**call.headers, "Authorization": f"Bearer {token}"}))
            if answer.status != 401:
                return answer
            self._forget(token)
        raise NotSent("the access token was refused")

    def token(self) -> str:
        """A valid access token. Raises NotSent, or ScopeRefused."""
        with self._lock:
            if time.monotonic() >= self._valid_until:
                self._renew()
            return self._token

    def _forget(self, token: str) -> None:
        with self._lock:
            if token == self._token:
                self._valid_until = 0.0

    def _renew(self) -> None:
        asked_at = time.monotonic()
        try:
            answer = self._client.send(self._request)
        except CallFailed as failed:
            raise NotSent(f"no access token: {failed.reason}") from None
        token, seconds = answer.body.get("access_token"), answer.body.get("expires_in", UNTOLD_S)
        usable = answer.status == 200 and _is_seconds(seconds)
        if not usable or not isinstance(token, str) or not _TOKEN.fullmatch(token):
            error = answer.body.get("error")
            failure = ScopeRefused if error == "invalid_scope" else NotSent
            raise failure(f"no access token: {error if error in KNOWN_ERRORS else f'HTTP {answer.status}'}")
        self._token, self._valid_until = token, asked_at + max(int(seconds) - MARGIN_S, 0)


def _is_seconds(value: object) -> bool:
    """Some servers write the number as text. Neither may be longer than a number of seconds in 30 years."""
    if isinstance(value, str):
        return bool(_DIGITS.fullmatch(value))
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < LONGEST_S
