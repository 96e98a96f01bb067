"""The addresses of the balance and the statement."""

from gateway.dashboard.balance import balance, explaining, statement

urls = [*balance.urls, *explaining.urls, *statement.urls]
