// [start]
import { Onpay } from "@onpay/node";

const client = new Onpay(); // ONPAY_API_KEY and ONPAY_BASE_URL
// [/start]

// [company]
const company = await client.companies.get("me");
console.log(company.id, company.tradeName);
// [/company]

// [create]
const payment = await client.payments.create({
  method: "PIX",
  amount: "150.00",
  currency: "BRL",
  reference: "order-1042",
  payer: { name: "Maria Silva", taxId: "52998224725" },
});
console.log(payment.id, payment.pixCopyPaste);
// [/create]

// [listen]
const endpoint = await client.webhookEndpoints.create({ url: "https://shop.example.com/hooks", events: ["*"] });
console.log(endpoint.id, endpoint.secret);
// [/listen]

// [pay]
const paid = await client.sandbox.endPayment(payment.id, { status: "PAID" });
console.log(paid.status, paid.paidAt, paid.netAmount);
// [/pay]

// [event]
for await (const event of client.events.list({ type: "payment.paid" })) {
  console.log(event.id, event.type, event.createdAt);
}
// [/event]

// [look-up]
for await (const found of client.payments.list({ reference: "order-1042" })) {
  console.log(found.id, found.status);
}
// [/look-up]
