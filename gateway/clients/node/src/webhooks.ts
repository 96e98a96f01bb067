// Deliveries: verified, and read as typed events.

import { createHmac, timingSafeEqual } from "node:crypto";
import { SignatureError } from "./errors.js";
import type { OnpayEvent } from "./generated/events.js";
import { parsed } from "./json.js";

const SHORTEST_KEY = 16;

/** Of Node and Express, or of the Fetch API. */
export type DeliveryHeaders = Headers | Record<string, string | string[] | undefined>;

export interface VerifyOptions {
  /** Seconds that a delivery may be old: 300. */
  tolerance?: number;
}

/**
 * The event of a delivery, from its raw body and headers. Several secrets: any of them may have signed.
 * Throws a SignatureError if it was not signed with one of them, was changed, or is too old. A kind of event that is
 * newer than this version is given as it came.
 */
export function verify(
  body: string | Uint8Array,
  headers: DeliveryHeaders,
  secrets: string | readonly string[],
  { tolerance = 300 }: VerifyOptions = {},
): OnpayEvent {
  const [name, at, signatures] = (["id", "timestamp", "signature"] as const).map((part) => {
    const value = header(headers, `webhook-${part}`);
    if (!value) throw new SignatureError(`the header webhook-${part} is missing`);
    return value;
  }) as [string, string, string];
  if (!/^\d+$/.test(at) || Math.abs(Date.now() / 1000 - Number(at)) > tolerance) {
    throw new SignatureError("the delivery is too old, or from the future");
  }
  compare(several(secrets).map((secret) => standard(secret, name, at, body)), signatures.split(" "));
  return parse(body);
}

/** The event of a delivery by `x-onpay-signature` alone. It does not say when: deduplicate by the event's `id`. */
export function verifyBody(
  body: string | Uint8Array,
  signature: string,
  secrets: string | readonly string[],
): OnpayEvent {
  const theirs = signature.split(",").map((one) => one.trim());
  compare(several(secrets).map((secret) => ofTheBody(secret, body)), theirs);
  return parse(body);
}

/** The event of a body that was verified elsewhere. */
export function parse(body: string | Uint8Array): OnpayEvent {
  const event = parsed(typeof body === "string" ? body : new TextDecoder().decode(body)) as OnpayEvent | undefined;
  if (typeof event?.type !== "string") throw new SignatureError("the body is no event");
  return event;
}

/** The headers of a delivery that is sent now, for the tests of a receiver. */
export function sign(body: string | Uint8Array, secret: string, eventId = "evt_test"): Record<string, string> {
  const at = String(Math.floor(Date.now() / 1000));
  return {
    "webhook-id": eventId,
    "webhook-timestamp": at,
    "webhook-signature": standard(secret, eventId, at, body),
    "x-onpay-signature": ofTheBody(secret, body),
  };
}

function standard(secret: string, name: string, at: string, body: string | Uint8Array): string {
  return "v1," + createHmac("sha256", keyOf(secret)).update(`${name}.${at}.`).update(body).digest("base64");
}

function ofTheBody(secret: string, body: string | Uint8Array): string {
  return "sha256=" + createHmac("sha256", secret).update(body).digest("hex");
}

function several(secrets: string | readonly string[]): readonly string[] {
  const found = typeof secrets === "string" ? [secrets] : secrets;
  if (!found.length || !found.every(keyOf)) throw new TypeError("no secret");
  return found;
}

/** A secret that is missing or cut short is refused: others could sign with it. */
function keyOf(secret: string): Buffer {
  const text = secret.replace(/^whsec_/, "");
  const key = Buffer.from(text, "base64");
  if (text === secret || key.length < SHORTEST_KEY || key.toString("base64") !== text) {
    throw new TypeError("a secret is whsec_ and its base64, as the endpoint's creation gave it");
  }
  return key;
}

/** Every pair, in a time that does not tell where they differ. */
function compare(ours: string[], theirs: string[]): void {
  const pairs = ours.flatMap((one) => theirs.map((other) => [Buffer.from(one), Buffer.from(other)] as const));
  const matches = pairs.filter(([one, other]) => one.length === other.length && timingSafeEqual(one, other));
  if (!matches.length) throw new SignatureError("the delivery was not signed with this secret");
}

function header(headers: DeliveryHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1];
  return Array.isArray(found) ? found[0] : found;
}
