import { Onpay } from "@onpay/node";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";

const client = new Onpay();

// [story]
await test("an order is paid and refunded", async () => {
  const payment = await client.payments.create({
    method: "PIX",
    amount: "60.00",
    currency: "BRL",
    reference: `test-${randomUUID()}`,
    payer: { name: "Maria Silva", taxId: "52998224725" },
  });
  assert.ok((await client.sandbox.endPayment(payment.id, { status: "PAID" })).paidAt);
  await client.refunds.create(payment.id, {});
  await client.sandbox.advanceClock({ advanceBy: "PT5S" });
  assert.equal((await client.payments.get(payment.id)).status, "REFUNDED");
});
// [/story]

// [clock]
const moved = await client.sandbox.advanceClock({ advanceBy: "P1D" });
console.log(moved.now);
// [/clock]
