// [check]
import { Onpay } from "@onpay/node";
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

const { SHOP_URL = "", ONPAY_ENDPOINT = "" } = process.env;
const client = new Onpay();
const day = randomUUID().slice(0, 6);

/** What a customer does in the shop. */
async function ask(path: string, asked: object): Promise<{ id: string }> {
  return (await fetch(SHOP_URL + path, { method: "POST", body: JSON.stringify(asked) })).json() as Promise<{ id: string }>;
}

function order(number: number, amount = "150.00") {
  return ask("/orders", { reference: `order-${day}-${number}`, amount });
}

async function refund(number: number, amount: string) {
  const made = await ask(`/orders/order-${day}-${number}/refunds`, { amount });
  await client.sandbox.endRefund(made.id, { status: "COMPLETED" });
}

let check = await client.sandbox.startReadinessCheck({ endpointId: ONPAY_ENDPOINT });
const ends = ["FAILED", "EXPIRED", ...Array<"PAID">(8).fill("PAID")] as const;
const made = await Promise.all(ends.map((_, number) => order(number)));
for (const [number, status] of ends.entries()) await client.sandbox.endPayment(made[number]!.id, { status });
await order(10);
await ask(`/orders/order-${day}-10/another-way`, {});
await order(11, "911.00");
await pause(2_000);
await Promise.all([2, 3, 4, 5].map((number) => refund(number, "10.00")));
await Promise.all([6, 7, 8, 9].map((number) => refund(number, "150.00")));

console.log("placed");
for (let times = 0; times < 60 && check.status === "RUNNING" && check.notObserved; times += 1) {
  await pause(2_000);
  check = await client.sandbox.readinessCheck(check.id);
}
check = await client.sandbox.finishReadinessCheck(check.id);
for (const probe of check.probes) {
  if (probe.verdict !== "PASSED") console.log(probe.verdict, probe.title, probe.advice, probe.evidence);
}
console.log("grade", check.grade, check.passed);
// [/check]
