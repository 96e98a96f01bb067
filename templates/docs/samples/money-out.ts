import { Onpay } from "@onpay/node";

const client = new Onpay();
const company = await client.companies.get("me");

// [top-up]
const balance = await client.sandbox.topUpBalance({ currency: "BRL", amount: "50000.00" });
console.log(balance.balances);
// [/top-up]

// [preflight]
const order = {
  companyId: company.id,
  amount: "20.00",
  currency: "BRL",
  reference: "wd-5001",
  pixKey: "52998224725",
  pixKeyType: "CPF",
} as const;
const preflight = await client.withdrawals.rehearsePix(order);
for (const gate of preflight.gates) console.log(gate.gate, gate.holds, gate.code);
// [/preflight]

// [withdraw]
const withdrawal = await client.withdrawals.createPix(order);
console.log(withdrawal.id, withdrawal.status, withdrawal.totalDebited);
// [/withdraw]

// [end]
const ended = await client.sandbox.endWithdrawal(withdrawal.id, { status: "COMPLETED" });
console.log(ended.status);
// [/end]

// [convert]
const quote = await client.conversions.quote("me", {
  sourceMethod: "PIX",
  destinationMethod: "SPEI",
  sourceAmount: "1000.00",
});
const conversion = await client.conversions.confirm("me", { quoteToken: quote.quoteToken });
console.log(conversion.destinationAmount);
// [/convert]
