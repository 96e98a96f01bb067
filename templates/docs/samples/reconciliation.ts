import { Onpay } from "@onpay/node";

const client = new Onpay();

// [day]
const day = client.companies.reconciliation("me", { date: "2026-11-20", timeZone: "America/Sao_Paulo" });
for (const wallet of (await day.page()).totals) {
  console.log(wallet["currency"], wallet["opening"], wallet["ending"]);
}
for await (const line of day) {
  console.log(line.category, line.reference, line.gross, line.fee, line.net);
}
// [/day]
