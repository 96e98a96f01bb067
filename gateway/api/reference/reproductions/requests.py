"""Errors that have to do with the request itself, its key and its headers."""

from django.utils.translation import gettext_noop as _

from gateway.api.reference.reproductions.calls import API_KEY, KEY, Call, Explanation, Explanations, Given, get, post
from gateway.simulations.examples import ORDERS

PIX = ORDERS["PIX", "BRL"]
SAME = PIX | {"reference": "order-2002"}

OF_REQUESTS: Explanations = {
    "ONP400_VALIDATION": Explanation(
        _("A required member is missing, or has a value of another kind."),
        (post("/webhooks/whk_none/verifications", {"headers": {}}),),
    ),
    "ONP400_MALFORMED_JSON": Explanation(
        _("The body was put together by hand, and has a comma too many, a member twice, or NaN."),
        (post("/payments", '{"method": "PIX", "amount": 150.00,}'),),
    ),
    "ONP400_CARD_DATA": Explanation(
        _("A form of the shop sends a card number to its backend, or somebody typed one into a free text."),
        (post("/payments", PIX | {"cardNumber": "4242424242424242"}),),
    ),
    "ONP400_IDEMPOTENCY_KEY_MISSING": Explanation(
        _("An HTTP client adds the key to some calls only."), (post("/payments", PIX, headers={KEY: None}),)
    ),
    "ONP400_IDEMPOTENCY_KEY_INVALID": Explanation(
        _("The number of the order is sent as the key."), (post("/payments", PIX, headers={KEY: "order-1042"}),)
    ),
    "ONP409_IDEMPOTENCY_CONFLICT": Explanation(
        _("One key is used for two orders, or an attempt is repeated with another amount or time."),
        (
            post("/payments", SAME, headers={KEY: "{key}"}),
            post("/payments", SAME | {"amount": 160.00}, headers={KEY: "{key}"}),
        ),
    ),
    "ONP409_IDEMPOTENCY_IN_PROGRESS": Explanation(
        _(
            "A timeout of the client is shorter than the call, and it repeats the request while the first is being "
            "served."
        ),
        words=_("Depends on time: send the same request twice at the same moment with one key."),
    ),
    "ONP400_FILTER": Explanation(
        _("A filter has a value that does not exist, or a date in another notation than 2026-11-20."),
        (get("/payments?status=LOST"),),
    ),
    "ONP400_PAGINATION": Explanation(
        _("More than 100 items of a list are asked for."), (get("/payments?pageSize=500"),)
    ),
    "ONP400_STATUS": Explanation(
        _("A status is asked for that only the service itself sets, or that does not exist."),
        (
            post("/payments", PIX, gives="payment"),
            post("/simulations/payments/{payment}", {"status": "AUTHORIZED"}),
        ),
    ),
    "ONP401": Explanation(
        _("The header is missing, or the key was revoked, or belongs to the other environment."),
        (get("/payments", headers={API_KEY: "unknown"}),),
    ),
    "ONP403": Explanation(
        _("The key was issued without the permission that this call needs."),
        (post("/payments", PIX),),
        Given.NARROW_KEY,
    ),
    "ONP403_ENVIRONMENT_NOT_SERVED": Explanation(
        _("A live key is used at the host of the sandbox, or the other way round."),
        words=_("Only where the environments have hosts of their own: call one host with a key of the other."),
    ),
    "ONP404": Explanation(
        _("The path has a typing error or a trailing slash, or lacks the version."), (get("/payment"),)
    ),
    "ONP405": Explanation(_("The path exists, but not with this method."), (Call("DELETE", "/payments"),)),
    "ONP406": Explanation(
        _("An HTTP client sends the Accept header of a browser."), (get("/payments", headers={"accept": "text/html"}),)
    ),
    "ONP415": Explanation(
        _("The body is sent as a form, or an HTTP client leaves the type out."),
        (post("/payments", PIX, headers={"content-type": "text/plain"}),),
    ),
    "ONP400_CLOCK": Explanation(
        _("Both members are sent, or neither."), (post("/simulations/clock", {"advanceBy": "one hour"}),)
    ),
    "ONP409_CLOCK": Explanation(
        _("A test wants to go back, or advances the clock in an endless loop."),
        (post("/simulations/clock", {"advanceTo": "2020-01-01T00:00:00Z"}),),
    ),
    "ONP403_SANDBOX_ONLY": Explanation(
        _("A test suite is run with a live key."), words=_("Only in production: simulations need a sandbox key.")
    ),
    "ONP400_BODY_INCOMPLETE": Explanation(
        _("The connection broke, or Content-Length is larger than the body."),
        words=_("Depends on the network: close the connection before the whole body was sent."),
    ),
    "ONP400_HEADER_REPEATED": Explanation(
        _("A proxy or a library adds a header that is already there."),
        words=_("Send x-api-key twice: curl does so for each -H that it is given."),
    ),
    "ONP400_HTTP": Explanation(
        _("The connection carries something other than HTTP."), words=_("The proxy answers this before the service.")
    ),
    "ONP408": Explanation(
        _("The network is slow, or the client waits while it makes the body."),
        words=_("Depends on the network: send the headers, and wait for more than ten seconds before the body."),
    ),
    "ONP413": Explanation(
        _("Files of evidence are too large together, or a text is far longer than its limit."),
        words=_("Send a body of 300 KiB to POST /payments."),
    ),
    "ONP414": Explanation(
        _("A list of ids is sent as a filter."), words=_("Send a query of more than 8 KiB to GET /payments.")
    ),
    "ONP429": Explanation(
        _("A loop asks for a status again and again, or a batch sends everything at once."),
        words=_("Send more requests in a minute than the RateLimit-Policy header allows."),
    ),
    "ONP429_UNFINISHED_BODIES": Explanation(
        _("Many uploads over a slow line run at the same time."),
        words=_("Depends on the network: begin more than eight bodies from one address, and do not finish them."),
    ),
    "ONP500": Explanation(
        _("An error on our side; we are alerted at once."),
        words=_("Cannot be provoked. To test outages use amounts that end in 912 and 913."),
    ),
    "ONP502": Explanation(
        _("The service is being restarted, or a node of it is away."),
        words=_("Cannot be provoked: the proxy answers this when it cannot reach the service."),
    ),
    "ONP503": Explanation(
        _("The database or the queue is away for a moment."),
        words=_("Cannot be provoked. A payment over an amount that ends in 913 is refused in the same way."),
    ),
    "ONP504": Explanation(
        _("The request took too long."),
        words=_("Cannot be provoked. Treat it like a timeout of your own client."),
    ),
}
