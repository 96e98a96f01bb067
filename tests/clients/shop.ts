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
  for await (const one of client.payments.list({ pageSize: 2, status: "PENDING" })) {
    references.push(one.reference);
    await client.payments.create({ ...order, reference: `new-${one.reference}` });
    await client.sandbox.endPayment(one.id, { status: "FAILED" });
  }
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
  const endpoint = await client.webhookEndpoints.create({ url: "https://1.1.1.1/hooks", events: ["*"] });
  return {
    removed: (await flaky.webhookEndpoints.delete(endpoint.id)).id === endpoint.id,
    missed: await failure(client.webhookEndpoints.delete(endpoint.id)).then((error) => error?.name),
    later: later instanceof ServerError && later.retryAfter,
    found: found.reference,
    float: await failure(flaky.payments.create({ ...order, amount: 150 as unknown as string })).catch(String),
  };
}

export function deliveries(): object {
  const [ours, old, other] = [1, 2, 3].map((one) => `whsec_${Buffer.alloc(32, one).toString("base64")}`) as [string, string, string];
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

/** What others answer in between, wrong settings, and a caller who has left. */
export async function hostile(): Promise<object> {
  let calls = 0;
  const answering = (status: number, headers: Record<string, string>, body: string) =>
    new Onpay({
      apiKey: "onp_live_x\n",
      baseUrl: "https://live.test",
      deadline: 1000,
      retries: 1,
      fetch: async (_url, sent) => {
        calls += 1;
        if (sent?.redirect !== "manual") throw new Error("the key would follow");
        return new Response(body, { status, headers });
      },
    });
  const begun = Date.now();
  const moment = new Date(begun + 20_000).toUTCString();
  const answers: [number, Record<string, string>, string][] = [
    [503, { "retry-after": moment }, "<html>"],
    [503, { "retry-after": "-1" }, "<html>"],
    [429, { "retry-after": "7" }, '{"error":{"code":429,"retryAfter":"soon"}}'],
    [503, {}, '{"error":{"code":"ONP503","retryable":true,"retryAfter":-5}}'],
    [200, {}, "{}"],
  ];
  const waits: unknown[] = [];
  for (const one of answers) {
    const failed = await failure(answering(...one).payments.create(order as never));
    waits.push([failed?.retryable, failed?.retryAfter ?? null]);
  }
  const lasted = (Date.now() - begun) / 1000;
  const before = calls;
  const left = await answering(200, {}, "{}").payments.get("pay_1", { signal: AbortSignal.abort() }).catch(() => "left");
  const refused = [
    () => answering(200, {}, "{}").payments.expire(".."),
    () => new Onpay({ baseUrl: "https://a:b@live.test" }),
    () => webhooks.verify("{}", webhooks.sign("{}", "whsec_\u2026"), "whsec_\u2026"),
    () => webhooks.verifyBody("{}", "sha256=0", "whsec_"),
  ].map((call) => {
    try {
      return typeof call();
    } catch (error) {
      return (error as Error).name;
    }
  });
  return { waits, lasted, left: [left, calls - before], wrong: refused };
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

if (process.argv[2] === "run") {
  console.log(JSON.stringify({ ...(await story()), ...(await badLine()), ...deliveries(), ...(await hostile()) }));
}
