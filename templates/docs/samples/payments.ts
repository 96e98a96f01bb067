import { Onpay } from "@onpay/node";

const client = new Onpay();

// [create]
const payment = await client.payments.create({
  method: "PIX",
  amount: "89.90",
  currency: "BRL",
  reference: "order-2001",
  expiresIn: 3600,
  payer: { name: "Maria Silva", taxId: "52998224725" },
});
// [/create]

// [expire]
const ended = await client.payments.expire(payment.id);
if (ended.status === "EXPIRED") {
  const card = await client.payments.create({
    method: "CREDIT_CARD",
    amount: "89.90",
    currency: "BRL",
    reference: "order-2001",
    returnUrl: "https://shop.example.com/orders/2001",
    payer: { name: "Maria Silva", taxId: "52998224725" },
  });
  console.log(card.nextAction);
}
// [/expire]

// [list]
for await (const paid of client.payments.list({
  status: "PAID",
  paidFrom: "2026-11-20T00:00:00-03:00",
  paidTo: "2026-11-21T00:00:00-03:00",
})) {
  console.log(paid.reference, paid.amount);
}
// [/list]

// [link]
const link = await client.paymentLinks.create({
  description: "Matrícula, março",
  amount: "150.00",
  currency: "BRL",
  maxUses: 1,
});
console.log(link.url);
// [/link]
