# [check]
import os
import time
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import httpx
import onpay

client = onpay.Onpay()
check = client.sandbox.start_readiness_check(endpoint_id=os.environ["ONPAY_ENDPOINT"])
day = uuid4().hex[:6]
ENDS = ["FAILED", "EXPIRED", *["PAID"] * 8]


def ask(path: str, **asked: str) -> dict[str, str]:
    """What a customer does in the shop."""
    return dict(httpx.post(os.environ["SHOP_URL"] + path, json=asked, timeout=60).json())


def order(number: int, amount: str = "150.00") -> dict[str, str]:
    return ask("/orders", reference=f"order-{day}-{number}", amount=amount)


def refund(number: int, amount: str) -> None:
    made = ask(f"/orders/order-{day}-{number}/refunds", amount=amount)
    client.sandbox.end_refund(made["id"], status="COMPLETED")


with ThreadPoolExecutor(4) as customers:
    made = list(customers.map(order, range(11)))
    for number, status in enumerate(ENDS):
        client.sandbox.end_payment(made[number]["id"], status=status)
    ask(f"/orders/order-{day}-10/another-way")
    order(11, amount="911.00")
    time.sleep(2)
    list(customers.map(refund, range(2, 10), ["10.00"] * 4 + ["150.00"] * 4))

print("placed", flush=True)
patience = time.monotonic() + 120
while check.status == "RUNNING" and check.not_observed and time.monotonic() < patience:
    time.sleep(2)
    check = client.sandbox.readiness_check(check.id)
check = client.sandbox.finish_readiness_check(check.id)
for probe in check.probes:
    if probe.verdict != "PASSED":
        print(probe.verdict, probe.title, probe.advice, probe.evidence)
print("grade", check.grade, check.passed)
# [/check]
