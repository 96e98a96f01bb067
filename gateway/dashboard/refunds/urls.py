"""The addresses of refunds. What is a word comes before what is an id."""

from gateway.dashboard.refunds import answer, detail, lists, sandbox

urls = [*lists.urls, *sandbox.urls, *answer.urls, *detail.urls]
