"""POST /payments as the tutorials of Django REST framework teach it: a project of its own, with its own tables.

It does what ours does: key, permission, two limits, idempotency, price, customer, payment, stored answer, in one
transaction, on kept connections. Where tutorials differ it takes the faster way, and it has no request log and draws no
QR image. Neither it nor ours announces the creation of a PIX payment.
"""
