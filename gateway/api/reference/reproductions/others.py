"""Errors of companies, conversions and webhooks."""

from django.utils.translation import gettext_noop as _

from gateway.api.reference.reproductions.calls import Call, Explanation, Explanations, get, post
from gateway.simulations.examples import ORDERS

PATH = "/companies/{company}/wallets/conversions"
QUOTE = {"sourceMethod": "PIX", "destinationMethod": "SPEI", "sourceAmount": 100.00}
FUNDED = (
    post("/payments", ORDERS["PIX", "BRL"] | {"amount": 3000.00}, gives="payment"),
    post("/simulations/payments/{payment}", {"status": "PAID"}),
)
CONFIRM = post(f"{PATH}/confirm", {"quoteToken": "{quote}"})


def _quoted(amount: float = 100.00) -> Call:
    return post(f"{PATH}/quote", QUOTE | {"sourceAmount": amount}, gives="quote", of="quoteToken")


ENDPOINT = post("/webhooks", {"url": "https://1.1.1.1/hooks", "events": ["payment.paid"]}, gives="webhook")

OF_OTHERS: Explanations = {
    "ONP404_READINESS_CHECK": Explanation(
        _("The id is of another company."), (get("/simulations/readiness-checks/chk_none"),)
    ),
    "ONP409_READINESS_CHECK": Explanation(
        _("Two pipelines share one sandbox, or the last run did not finish its check."),
        words=_("Start a check while another one runs, which disturbs the sandbox until you finish it."),
    ),
    "ONP404_COMPANY": Explanation(
        _("The id of another company, or none, is configured beside the key."), (get("/companies/cmp_none"),)
    ),
    "ONP400_CONVERSION_WALLET": Explanation(
        _("Both wallets are the same, or the method has no wallet."),
        (post(f"{PATH}/quote", QUOTE | {"destinationMethod": "PIX"}),),
    ),
    "ONP400_CONVERSION_CURRENCY_REQUIRED": Explanation(
        _("BANK_TRANSFER stands for wallets in several currencies."),
        (post(f"{PATH}/quote", QUOTE | {"destinationMethod": "BANK_TRANSFER"}),),
    ),
    "ONP400_QUOTE_TOKEN": Explanation(
        _("The token was cut off, or comes from the other environment."),
        (post(f"{PATH}/confirm", {"quoteToken": "onpq1.e30.none"}),),
    ),
    "ONP403_CONVERSION_DISABLED": Explanation(
        _("Conversions are not part of the company's agreement."),
        words=_("Only where support has turned conversions off."),
    ),
    "ONP404_CONVERSION": Explanation(_("The id is of the other environment."), (get(f"{PATH}/cnv_none"),)),
    "ONP409_QUOTE_EXPIRED": Explanation(
        _("A person took longer to confirm than the quote is valid."),
        (*FUNDED, _quoted(932.00), post("/simulations/clock", {"advanceBy": "PT2S"}), CONFIRM),
    ),
    "ONP409_QUOTE_TERMS_CHANGED": Explanation(
        _("Support changed the company's terms between quote and confirmation."), (*FUNDED, _quoted(931.00), CONFIRM)
    ),
    "ONP409_QUOTE_ALREADY_USED": Explanation(
        _("A button was pressed twice, each time with a new key."), (*FUNDED, _quoted(), CONFIRM, CONFIRM)
    ),
    "ONP422_CONVERSION_AMOUNT_TOO_SMALL": Explanation(
        _("The amount is less than the smallest unit of the destination currency."),
        (post(f"{PATH}/quote", QUOTE | {"destinationMethod": "MB_WAY", "sourceAmount": 0.01}),),
    ),
    "ONP503_CONVERSION_TEMPORARILY_UNAVAILABLE": Explanation(
        _("The source of market rates is away."), (_quoted(933.00),)
    ),
    "ONP400_URL": Explanation(
        _("The URL is not HTTPS, or its host is in a private network."),
        (post("/webhooks", {"url": "http://10.0.0.1/hooks", "events": ["*"]}),),
    ),
    "ONP400_EVENTS": Explanation(
        _("An event type is misspelt, or * is one of several."),
        (post("/webhooks", {"url": "https://1.1.1.1/hooks", "events": ["payment.payed"]}),),
    ),
    "ONP404_WEBHOOK": Explanation(
        _("The endpoint was deleted, or is of the other environment."), (get("/webhooks/whk_none"),)
    ),
    "ONP404_DELIVERY": Explanation(
        _("The delivery is older than 30 days, or of another endpoint."),
        (ENDPOINT, get("/webhooks/{webhook}/deliveries/dlv_none")),
    ),
    "ONP404_CHAOS": Explanation(_("The run has ended, or none was started."), (get("/simulations/chaos"),)),
    "ONP404_EVENT": Explanation(_("The event is older than 30 days."), (get("/events/evt_none"),)),
    "ONP409_WEBHOOK_STATE": Explanation(
        _("A replay or redelivery is requested for an endpoint that is switched off."),
        (
            ENDPOINT,
            Call("PATCH", "/webhooks/{webhook}", {"status": "INACTIVE"}),
            post("/webhooks/{webhook}/replays", {}),
        ),
    ),
    "ONP422_WEBHOOK_LIMIT": Explanation(
        _("Each deployment creates another endpoint instead of keeping its own."),
        words=_("Create 20 endpoints, then one more."),
    ),
}
