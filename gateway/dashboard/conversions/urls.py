"""The addresses of conversions."""

from gateway.dashboard.conversions import made, quoting

urls = [*quoting.urls, *made.urls]
