import { APIError, ConnectionFailed, Onpay, ServerError } from "@onpay/node";
import { randomUUID } from "node:crypto";

const client = new Onpay();
const payer = { name: "Maria Silva", taxId: "52998224725" };

// [again]
let orderKey = randomUUID(); // stored with the order, before the call
for (const _attempt of ["first", "second"]) {
  const payment = await client.payments.create(
    { method: "PIX", amount: "42.00", currency: "BRL", reference: "order-4001", payer },
    { idempotencyKey: orderKey },
  );
  console.log(payment.id); // the same one
}
// [/again]

orderKey = randomUUID();
// [safely]
const patient = new Onpay({ timeout: 30_000, deadline: 120_000, retries: 5 }); // milliseconds
try {
  await patient.payments.create(
    { method: "PIX", amount: "43.00", currency: "BRL", reference: "order-4002", payer },
    { idempotencyKey: orderKey },
  );
} catch (error) {
  if (error instanceof ConnectionFailed || error instanceof ServerError) {
    console.log("unclear: again later, with the same key", error);
  } else if (error instanceof APIError) {
    console.log("refused:", error.code, error.requestId);
  } else {
    throw error;
  }
}
// [/safely]

function repeatLater(key: string): void {
  console.log("a job of yours sends the same order with this key", key);
}

orderKey = randomUUID();
// [checkout]
try {
  await client.payments.create(
    { method: "PIX", amount: "44.00", currency: "BRL", reference: "order-4003", payer },
    { idempotencyKey: orderKey, deadline: 5_000 }, // milliseconds for all attempts: the payer waits
  );
} catch (error) {
  if (!(error instanceof ConnectionFailed || error instanceof ServerError)) throw error;
  repeatLater(orderKey);
}
// [/checkout]
