import { APIError, ConnectionFailed, Onpay, ServerError } from "@onpay/node";
import { randomUUID } from "node:crypto";

const apiKey = process.env.ONPAY_API_KEY!, baseUrl = process.env.ONPAY_BASE_URL!;
const client = new Onpay({ apiKey, baseUrl });
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
const patient = new Onpay({ apiKey, baseUrl, timeout: 30_000, deadline: 120_000, retries: 5 }); // milliseconds
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
