// A shop on @onpay/node, which tests/clients/test_typescript.py runs. ORDER is replaced there.
import { APIError, Conflict, ConnectionFailed, Onpay, type OnpayEvent, ServerError, webhooks } from "@onpay/node";

const { COMPANY = "", FRONT = "", ONPAY_API_KEY: apiKey = "" } = process.env;
const client = new Onpay();
const order = ORDER;

export async function story(): Promise<object> {
  const payment = await client.payments.create({ ...order, reference: "node-1" });
  const paid = await client.sandbox.endPayment(payment.id, { status: "PAID" });
  const refund = await client.refunds.create(paid.id, { amount: "50.00" });
  const withdrawal = { companyId: COMPANY, amount: "20.00", currency: "BRL", reference: "wd-1" } as const;
  const rehearsed = await client.withdrawals.rehearsePix({ ...withdrawal, pixKey: "52998224725", pixKeyType: "CPF" });
  for (const number of [0, 1, 2]) await client.payments.create({ ...order, reference: `page-${number}` });
  const references: string[] = [];
  for await (const one of client.payments.list({ pageSize: 2 })) references.push(one.reference);
  const balance = await client.companies.balance(COMPANY);
  const twice = await failure(client.payments.create({ ...order, reference: "node-1" }));
  return {
    paid: [paid.status, paid.netAmount],
    refund: [refund.status, refund.amount],
    rehearsed: rehearsed.wouldBeAccepted,
    references,
    balance: balance.balances.filter((one) => one.currency === "BRL").map((one) => one.available),
    twice: twice instanceof Conflict && [twice.code, twice.paymentId === payment.id, `${twice.docUrl}`.split("#")[1]],
    pdf: new TextDecoder().decode((await client.payments.receiptPdf(paid.id)).slice(0, 4)),
    secret: JSON.stringify([client, twice]).includes(apiKey),
  };
}

export async function badLine(): Promise<object> {
  const flaky = new Onpay({ baseUrl: FRONT });
  for (const reference of ["lost-1", "busy-1", "down-1", "begun-1"]) {
    await flaky.payments.create({ ...order, reference });
  }
  const later = await failure(flaky.payments.create({ ...order, reference: "later-1" }, { deadline: 5000 }));
  const impatient = new Onpay({ baseUrl: FRONT, retries: 0 });
  const lost = await failure(impatient.payments.create({ ...order, reference: "lost-2" }));
  const idempotencyKey = lost instanceof ConnectionFailed ? (lost.idempotencyKey ?? "") : "";
  const found = await flaky.payments.create({ ...order, reference: "lost-2" }, { idempotencyKey });
  return {
    later: later instanceof ServerError && later.retryAfter,
    found: found.reference,
    float: await failure(flaky.payments.create({ ...order, amount: 150 as unknown as string })).catch(String),
  };
}

export function deliveries(): object {
  const [ours, old, other] = ["whsec_b3Vycw==", "whsec_b2xk", "whsec_b3RoZXI="] as const;
  const body = JSON.stringify({ id: "evt_1", type: "payment.paid", data: { reference: "order-1", amount: 0.1, paidAt: "x" } });
  const signed = webhooks.sign(body, ours);
  const late = { ...signed, "webhook-timestamp": String(Number(signed["webhook-timestamp"]) - 400) };
  const refused = [
    () => webhooks.verify(body, signed, other),
    () => webhooks.verify(`${body} `, signed, ours),
    () => webhooks.verify(body, late, ours),
    () => webhooks.verify(body, {}, ours),
    () => webhooks.verifyBody(body, signed["x-onpay-signature"] ?? "", other),
  ].map((call) => {
    try {
      return call().type;
    } catch (error) {
      return (error as Error).name;
    }
  });
  const event = webhooks.verify(Buffer.from(body), new Headers(signed), [old, ours]);
  const byBody = webhooks.verifyBody(body, `sha256=0,${signed["x-onpay-signature"]}`, ours);
  return { refused, released: [release(event), release(byBody)] };
}

function release(event: OnpayEvent): string | null {
  return event.type === "payment.paid" && event.data.paidAt ? `${event.data.reference} ${event.data.amount}` : null;
}

async function failure(call: Promise<unknown>): Promise<APIError | ConnectionFailed | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (error instanceof APIError || error instanceof ConnectionFailed) return error;
    throw error;
  }
}

if (process.argv[2] === "run") console.log(JSON.stringify({ ...(await story()), ...(await badLine()), ...deliveries() }));
