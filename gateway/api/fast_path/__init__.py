"""The fast path: the operations that most requests ask for, without Django's request, its middleware and DRF, and
several requests at a time.

What takes the usual course is answered as its view would answer: from the same declaration, by the same services, after
the same checks in the same order. All else is declined before anything was written, and Django answers it from the
start: every refusal and every replay, and what is to be recorded about the use of a key.

Requests that wait at the same time share their round trips: one to Valkey, one that reads and one that writes. Each is
answered for itself.
"""
