import { Onpay, webhooks } from "@onpay/node";

const client = new Onpay();

// [register]
const endpoint = await client.webhookEndpoints.create({ url: "https://shop.example.com/hooks", events: ["*"] });
console.log(endpoint.id, endpoint.secret);
// [/register]

// [verify]
export function receive(body: Buffer, headers: Record<string, string>, secret: string): void {
  const event = webhooks.verify(body, headers, [secret]); // throws a SignatureError
  if (!event.type.startsWith("payment.") || !("paidAt" in event.data)) return;
  const payment = event.data;
  let newest = known.get(payment.id);
  if (!newest || event.sequence > newest.sequence) {
    newest = { sequence: event.sequence, status: payment.status };
    known.set(payment.id, newest);
  }
  if (payment.paidAt && newest.status !== "REFUNDED") releaseOnce(payment.reference);
}
// [/verify]

const known = new Map<string, { sequence: number; status: string }>();

function releaseOnce(reference: string): void {
  console.log("released", reference);
}

// [doctor]
const verdict = await client.webhookEndpoints.diagnoseSignature(endpoint.id, {
  headers: {
    "webhook-id": "evt_01KAGTW3Q8XJ5V0N2B7R4C9EVT",
    "webhook-timestamp": "1795262400",
    "webhook-signature": "v1,what your receiver got",
  },
  body: '{"the": "raw body that your receiver got"}',
});
console.log(verdict.verdict, verdict.explanation);
// [/doctor]

// [replay]
const counted = await client.webhookEndpoints.replay(endpoint.id, {
  lastStatus: "FAILED",
  createdFrom: "2026-11-20T00:00:00Z",
  dryRun: true,
});
console.log(counted);
// [/replay]

// [rotate]
const rotated = await client.webhookEndpoints.rotateSecret(endpoint.id, { overlapHours: 24 });
console.log(rotated.secret, rotated.previousSecretExpiresAt);
// [/rotate]
