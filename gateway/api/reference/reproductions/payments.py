"""Errors of payments, their links, boletos, receipts and saved cards."""

from django.utils.translation import gettext_noop as _

from gateway.api.reference.reproductions.calls import Call, Explanation, Explanations, get, post
from gateway.simulations.examples import ORDERS

PIX, BOLETO, PSE = ORDERS["PIX", "BRL"], ORDERS["BOLETO", "BRL"], ORDERS["PSE", "COP"]
CARD = ORDERS["CREDIT_CARD", "BRL"]
CREATED = post("/payments", PIX, gives="payment")
SAME = PIX | {"reference": "order-2001"}
LINK = {"description": "Enrolment, March", "currency": "BRL", "amount": 150.00}
LINKED = post("/payment-links", LINK, gives="link")

OF_PAYMENTS: Explanations = {
    "ONP400_METHOD": Explanation(
        _("The method is misspelt, or not one of GET /payment-methods."), (post("/payments", PIX | {"method": "CASH"}),)
    ),
    "ONP400_AMOUNT": Explanation(
        _("The amount is text, zero, or has more decimals than the currency."),
        (post("/payments", PIX | {"amount": "150.00"}),),
    ),
    "ONP400_CURRENCY": Explanation(
        _("The method does not exist in this currency."), (post("/payments", PIX | {"currency": "MXN"}),)
    ),
    "ONP400_REFERENCE": Explanation(
        _("The order had no number yet when it was sent."), (post("/payments", PIX | {"reference": ""}),)
    ),
    "ONP400_PAYER": Explanation(
        _("The shop does not check the tax id that the payer typed, or sends no name."),
        (post("/payments", PIX | {"payer": {"name": "Maria Silva", "taxId": "529.982"}}),),
    ),
    "ONP400_BOLETO": Explanation(
        _("A boleto is asked for without the payer's address."),
        (post("/payments", BOLETO | {"payer": {"name": "Maria Silva", "taxId": "52998224725"}}),),
    ),
    "ONP400_DUE_DATE": Explanation(
        _("The due date was computed in another time zone, or is more than a year away."),
        (post("/payments", BOLETO | {"dueDate": "2020-01-01"}),),
    ),
    "ONP400_EXPIRES_IN": Explanation(
        _("Minutes or milliseconds are sent as seconds."), (post("/payments", PIX | {"expiresIn": 5}),)
    ),
    "ONP400_RETURN_URL": Explanation(
        _("The address of a development machine, or none, is sent for a method that leaves the shop."),
        (post("/payments", PSE | {"returnUrl": "http://shop.example.com/orders/1042"}),),
    ),
    "ONP400_PAYMENT_METHOD_TOKEN": Explanation(
        _("The payer chose a saved card first, and then another method."),
        (post("/payments", PIX | {"paymentMethodToken": "pmt_sandbox_approved"}),),
    ),
    "ONP403_COMPANY_STATUS": Explanation(
        _("The company is not verified yet, was suspended or closed."),
        words=_("Only while the company is not active. Support says why."),
    ),
    "ONP403_METHOD_NOT_ENABLED": Explanation(
        _("The method is not part of the company's agreement."),
        words=_("Only for a method that GET /payment-methods does not list. Support enables methods."),
    ),
    "ONP403_<METHOD>_NOT_CONNECTED": Explanation(
        _("The method is agreed, but no provider is connected for it."),
        words=_("Only in production: the sandbox has simulators for every method."),
    ),
    "ONP403_TOKENS_NOT_ENABLED": Explanation(
        _("Saved cards are not part of the company's agreement."),
        words=_("Only where support has turned saved cards off."),
    ),
    "ONP404_PAYMENT": Explanation(
        _("The id is of the other environment or of another company, or was cut off when it was stored."),
        (get("/payments/pay_none"),),
    ),
    "ONP404_CUSTOMER": Explanation(
        _("The shop's own number of the customer is sent."), (get("/customers/1042/payment-methods"),)
    ),
    "ONP404_SAVED_CARD": Explanation(
        _("The card was removed before, or belongs to another customer."),
        (
            post("/payments", PIX, gives="customer", of="customer.id"),
            Call("DELETE", "/customers/{customer}/payment-methods/pmt_none"),
        ),
    ),
    "ONP404_PAYMENT_LINK": Explanation(
        _("The code of the link's address is sent instead of its id."), (get("/payment-links/plk_none"),)
    ),
    "ONP409_DUPLICATE_REFERENCE": Explanation(
        _("An order is charged again with a new idempotency key after an answer was lost."),
        (post("/payments", SAME), post("/payments", SAME)),
    ),
    "ONP409_PAYMENT_STATE": Explanation(
        _("The call needs an open payment, or a paid one: error.paymentStatus says what it is."),
        (
            CREATED,
            post("/simulations/payments/{payment}", {"status": "FAILED"}),
            post("/payments/{payment}/refunds", {"amount": 50.00}),
        ),
    ),
    "ONP409_PAYMENT_BUSY": Explanation(
        _("Two processes end the same payment, or one ends it while its provider is being asked."),
        words=_("Depends on time: send POST /payments/{id}/expire twice at the same moment with two keys."),
    ),
    "ONP409_RECEIPT_UNAVAILABLE": Explanation(
        _("The receipt is fetched before the payment was paid."),
        (CREATED, get("/payments/{payment}/receipt")),
    ),
    "ONP410_BOLETO": Explanation(
        _("A stored address of the document is opened after the boleto has expired."),
        (
            post("/payments", BOLETO, gives="payment"),
            post("/simulations/payments/{payment}", {"status": "EXPIRED"}),
            get("/payments/{payment}/boleto"),
        ),
    ),
    "ONP422_<METHOD>_AMOUNT_TOO_SMALL": Explanation(
        _("The order is below the minimum that GET /payment-methods lists."),
        (post("/payments", PIX | {"amount": 0.01}),),
    ),
    "ONP422_<METHOD>_AMOUNT_TOO_LARGE": Explanation(
        _("The order is above the maximum that GET /payment-methods lists; or cents are sent as reais."),
        (post("/payments", PIX | {"amount": 10_000_000.00}),),
    ),
    "ONP422_<METHOD>_REJECTED": Explanation(
        _("The provider, the bank or the issuer of the card declined."), (post("/payments", PIX | {"amount": 1911.00}),)
    ),
    "ONP422_<METHOD>_PAYMENT_METHOD_TOKEN_INVALID": Explanation(
        _("The card was removed, or its token is of the other environment."),
        (post("/payments", CARD | {"paymentMethodToken": "pmt_none"}),),
    ),
    "ONP422_<METHOD>_SAVED_CARD_UNAVAILABLE": Explanation(
        _("The company changed the acquirer that keeps the card."),
        words=_("Only in production: the sandbox has one acquirer for saved cards."),
    ),
    "ONP422_SIMULATION_CARD": Explanation(
        _("A test that pays other methods is used for cards, which are paid with test numbers."),
        (post("/payments", CARD, gives="payment"), post("/simulations/payments/{payment}", {"status": "PAID"})),
    ),
    "ONP502_<METHOD>_INVALID_RESPONSE": Explanation(
        _("The provider answered something that cannot be understood."), (post("/payments", PIX | {"amount": 1912.00}),)
    ),
    "ONP503_<METHOD>_TEMPORARILY_UNAVAILABLE": Explanation(
        _("The provider is away; nothing was ordered there."), (post("/payments", PIX | {"amount": 1913.00}),)
    ),
    "ONP400_PAYMENT_LINK": Explanation(
        _("The link has neither an amount nor a range, or a method that does not fit the currency."),
        (post("/payment-links", {"description": "Enrolment, March", "currency": "BRL"}),),
    ),
    "ONP409_PAYMENT_LINK_STATE": Explanation(
        _("A link that has ended is to be opened again."),
        (
            LINKED,
            Call("PATCH", "/payment-links/{link}", {"status": "ENDED"}),
            Call("PATCH", "/payment-links/{link}", {"status": "ACTIVE"}),
        ),
    ),
}
