"""The content security policy: strict except on third-party pages."""

from csp.middleware import CSPMiddleware
from django.http import HttpRequest, HttpResponseBase

INLINE_STYLES = {"style-src": ["'unsafe-inline'"]}


class ContentSecurityPolicyMiddleware(CSPMiddleware):
    """Strict except on third-party pages.

    The theme of the staff admin evaluates expressions and writes inline styles, the API reference the latter.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if request.path_info.startswith("/admin/"):
            scripts = {"script-src": ["'self'", "'unsafe-eval'"]}
            response._csp_update = scripts | INLINE_STYLES  # type: ignore[attr-defined]
        return super().process_response(request, response)
