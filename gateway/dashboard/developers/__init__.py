"""Pages for whoever integrates: API keys, webhooks, events, requests and the sandbox lab."""
