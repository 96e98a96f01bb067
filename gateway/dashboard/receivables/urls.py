"""The addresses of receivables and advances."""

from gateway.dashboard.receivables import decisions, month, simulator

urls = [*month.urls, *simulator.urls, *decisions.urls]
