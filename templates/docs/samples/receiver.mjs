import { createHmac, timingSafeEqual } from "node:crypto";

// The event of a delivery. `body` is a Buffer of the raw bytes; the names of `headers` are in lower case.
export function verified(body, headers, secret) {
  const at = headers["webhook-timestamp"];
  if (!(Math.abs(Date.now() / 1000 - Number(at)) <= 300)) throw new Error("too old, or from the future");
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  if (key.length < 16) throw new Error("no secret: anybody could sign");
  const signed = Buffer.concat([Buffer.from(`${headers["webhook-id"]}.${at}.`), body]);
  const ours = Buffer.from("v1," + createHmac("sha256", key).update(signed).digest("base64"));
  const theirs = headers["webhook-signature"].split(" ").map((one) => Buffer.from(one));
  const fits = (one) => one.length === ours.length && timingSafeEqual(one, ours);
  if (!theirs.some(fits)) throw new Error("not signed with this secret");
  return JSON.parse(body);
}

// Right in any order of events, and for repeated ones. Call it in one transaction. `known` is a table of yours: payments
// by id, with the newest event of each. `release(reference)` does nothing the second time:
// UPDATE … SET released = true WHERE … AND NOT released.
export function handle(event, known, release) {
  if (!event.type.startsWith("payment.")) return;
  const payment = event.data;
  let newest = known.get(payment.id);
  if (!newest || event.sequence > newest.sequence) {
    newest = { sequence: event.sequence, status: payment.status };
    known.set(payment.id, newest);
  }
  if (payment.paidAt && newest.status !== "REFUNDED") release(payment.reference);
}
