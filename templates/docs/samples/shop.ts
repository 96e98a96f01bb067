// [tables]
import { Onpay, type OnpayEvent, APIError, ConnectionFailed, ServerError, SignatureError, webhooks } from "@onpay/node";
import { randomUUID } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";

const client = new Onpay({ deadline: 20_000 }); // milliseconds: a customer waits
const secrets = (process.env.ONPAY_WEBHOOK_SECRETS ?? "").split(" "); // two during a rotation

// Tables of your database: here they are lost when the process ends.
const orders = new Map<string, { amount: string; payment: string; key: string; released: boolean }>();
const refunds = new Map<string, { payment: string; amount: string }>();
const newest = new Map<string, { sequence: number; status: string }>();
const inbox = new Map<string, { body: Buffer; done: boolean }>();
// [/tables]

// [order]
/** Stores the order with its key first: the same order again has the same payment. */
function place(reference: string, amount: string) {
  if (!orders.has(reference)) orders.set(reference, { amount, payment: "", key: randomUUID(), released: false });
  return pay(reference, { method: "PIX" });
}

type Way = { method: "PIX" } | { method: "CREDIT_CARD"; returnUrl: string };

async function pay(reference: string, way: Way) {
  const order = orders.get(reference)!;
  const payment = await client.payments.create(
    {
      amount: order.amount,
      currency: "BRL",
      reference,
      payer: { name: "Maria Silva", taxId: "52998224725" },
      ...way,
    },
    { idempotencyKey: order.key },
  );
  order.payment = payment.id;
  return payment;
}
// [/order]

// [another-way]
/** Ends the first payment before the next one is made: only one can be paid. */
async function payAnotherWay(reference: string) {
  const order = orders.get(reference)!;
  const payment = await client.payments.expire(order.payment);
  if (payment.status !== "EXPIRED") return payment; // it was paid, or its provider has not answered yet
  if (order.payment === payment.id) order.key = randomUUID();
  return pay(reference, { method: "CREDIT_CARD", returnUrl: `https://shop.example.com/orders/${reference}` });
}
// [/another-way]

// [refund]
function refund(reference: string, amount: string) {
  const key = randomUUID();
  const { payment } = orders.get(reference)!;
  refunds.set(key, { payment, amount });
  return client.refunds.create(payment, { amount }, { idempotencyKey: key });
}
// [/refund]

// [receive]
/** Verifies, stores, answers: the work is done afterwards. */
function receive(body: Buffer, headers: IncomingHttpHeaders): number {
  try {
    const event = webhooks.verify(body, headers, secrets);
    if (!inbox.has(event.id)) inbox.set(event.id, { body, done: false });
  } catch (error) {
    if (error instanceof SignatureError) return 400;
    throw error;
  }
  return 200;
}

async function work() {
  for (const [id, event] of inbox) {
    if (event.done) continue;
    try {
      await handle(webhooks.parse(event.body));
      event.done = true;
    } catch (error) {
      console.error(`event ${id} is handled again later`, error);
    }
  }
  setTimeout(work, 100);
}
// [/receive]

// [handle]
/** Right in any order of events, and for events that come twice. */
async function handle(event: OnpayEvent) {
  if (!event.type.startsWith("payment.") || !("paidAt" in event.data)) return;
  const payment = event.data;
  const known = newest.get(payment.id);
  if (!known || event.sequence > known.sequence) {
    newest.set(payment.id, { sequence: event.sequence, status: payment.status });
  }
  if (payment.paidAt && newest.get(payment.id)?.status !== "REFUNDED") await releaseOnce(event.environment, payment);
}

/** In a database: UPDATE … SET released = true WHERE … AND NOT released, and only if it changed a row. */
async function releaseOnce(environment: string, payment: { id: string; reference: string }) {
  const order = orders.get(payment.reference);
  if (!order || order.released) return;
  order.released = true;
  console.log("shipped", payment.reference);
  if (environment === "SANDBOX") await client.sandbox.reportRelease({ paymentId: payment.id });
}
// [/handle]

// [serve]
async function answer(path: string, body: Buffer, headers: IncomingHttpHeaders): Promise<[number, object]> {
  if (path === "/hooks") return [receive(body, headers), {}];
  const asked = JSON.parse(body.toString());
  const [reference, wish] = path.split("/").slice(2); // /orders, /orders/REFERENCE/another-way or …/refunds
  try {
    const made = !reference
      ? await place(asked.reference, asked.amount)
      : wish === "another-way"
        ? await payAnotherWay(reference)
        : await refund(reference, asked.amount);
    return [201, { id: made.id, status: made.status }];
  } catch (error) {
    const isUnclear = error instanceof ConnectionFailed || error instanceof ServerError;
    if (isUnclear) return [503, { error: "Please try again in a moment." }];
    if (error instanceof APIError) return [422, { error: error.message }];
    throw error;
  }
}

void work();
createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const [status, content] = await answer(request.url ?? "/", Buffer.concat(parts), request.headers);
  response.writeHead(status).end(JSON.stringify(content));
}).listen(Number(process.argv[2]), "127.0.0.1");
// [/serve]
