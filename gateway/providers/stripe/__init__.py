"""Stripe: PaymentIntents, refunds and webhooks, by its official library (docs.stripe.com/api).

The library builds requests, reads errors and checks signatures; its requests go through `gateway.providers.client`.
"""
