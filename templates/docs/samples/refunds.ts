import { Onpay } from "@onpay/node";

const client = new Onpay();
const payer = { name: "Maria Silva", taxId: "52998224725" };
const payment = await client.payments.create({
  method: "PIX", amount: "300.00", currency: "BRL", reference: "order-3001", payer,
});
await client.sandbox.endPayment(payment.id, { status: "PAID" });

// [create]
const refund = await client.refunds.create(payment.id, {
  amount: "50.00",
  reason: "One of three items out of stock",
  reference: "rf-3001-1",
});
console.log(refund.id, refund.status);
// [/create]
const requested = await client.sandbox.requestRefund(payment.id, { amount: "100.00" });

// [answer]
const answered = await client.refunds.answer(requested.id, {
  answer: "CONTEST",
  message: "Delivered on 20 November, signed by the payer.",
  evidence: [
    { type: "URL", url: "https://shop.example.com/deliveries/3001", description: "Proof of delivery" },
  ],
});
console.log(answered.status);
// [/answer]
