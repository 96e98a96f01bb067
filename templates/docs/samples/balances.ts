import { Onpay } from "@onpay/node";

const client = new Onpay();

// [balance]
for (const wallet of (await client.companies.balance("me")).wallets) {
  console.log(wallet.method, wallet.currency, wallet.available, wallet.releasing, wallet.blocked);
}
// [/balance]

// [releasing]
for await (const receivable of client.companies.releasing("me", { currency: "BRL" })) {
  console.log(receivable.releaseAt, receivable.reference, receivable.amount);
}
// [/releasing]

// [blocked]
for await (const hold of client.companies.blocked("me", { currency: "BRL" })) {
  console.log(hold.reason, hold.amount, hold.expectedReleaseAt);
}
// [/blocked]

// [explain]
const explained = await client.companies.explainBalance("me", { currency: "BRL", bucket: "AVAILABLE" });
console.log(explained.opening, explained.causes, explained.ending);
// [/explain]
