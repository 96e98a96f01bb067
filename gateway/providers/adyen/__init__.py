"""Adyen: Checkout API v72 and webhooks v1 (docs.adyen.com), and its official library for their signatures.

The library is used for signatures only. Its HTTP client has no place for another one, and has neither a total deadline
nor a limit of size; its errors repeat requests, and an answer that is no JSON becomes an empty one. What is called here
goes through `gateway.providers.client`.
"""
