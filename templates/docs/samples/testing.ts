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

// [release]
async function release(paymentId: string) {
  // ... what your shop does to ship the order, and in the sandbox:
  await client.sandbox.reportRelease({ paymentId });
}
// [/release]

// [readiness]
const endpoint = await client.webhookEndpoints.create({ url: "https://shop.example.com/hooks", events: ["*"] });
const started = await client.sandbox.startReadinessCheck({ endpointId: endpoint.id });
// Here your tests place orders in your shop.
const check = await client.sandbox.finishReadinessCheck(started.id);
for (const probe of check.probes) {
  if (probe.verdict !== "PASSED") console.log(probe.verdict, probe.title, probe.advice, probe.evidence);
}
console.log("grade", check.grade);
// [/readiness]

for await (const payment of client.payments.list({ pageSize: 1 })) {
  await release(payment.id);
  break;
}

// [clock]
const moved = await client.sandbox.advanceClock({ advanceBy: "P1D" });
console.log(moved.now);
// [/clock]
