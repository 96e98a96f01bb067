"""The addresses of withdrawals."""

from gateway.dashboard.withdrawals import details, lists, new

urls = [*lists.urls, *new.urls, *details.urls]
