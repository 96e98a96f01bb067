// The client.

import { Resources } from "./generated/resources.js";
import type { Limits } from "./retries.js";
import { Transport } from "./transport.js";

export interface OnpayOptions extends Partial<Limits> {
  /** The key, which decides the environment; ONPAY_API_KEY where left out. */
  apiKey?: string;
  /** Where the service is; ONPAY_BASE_URL where left out. */
  baseUrl?: string;
  fetch?: typeof globalThis.fetch;
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/**
 * The API, with one member for each kind of object: `await client.payments.create({ … })`.
 *
 * A POST gets an idempotency key by itself, kept while it is tried again. What the service calls retryable is tried
 * again: `retries` times, within `deadline` milliseconds of the whole call.
 */
export class Onpay extends Resources {
  constructor(options: OnpayOptions = {}) {
    const apiKey = (options.apiKey ?? process.env.ONPAY_API_KEY ?? "").trim();
    const baseUrl = options.baseUrl ?? process.env.ONPAY_BASE_URL ?? "";
    const { timeout = 30_000, deadline = 60_000, retries = 4, fetch = globalThis.fetch } = options;
    if (!/^onp_(sandbox|live)_[\w-]+$/.test(apiKey)) {
      throw new TypeError("apiKey (or ONPAY_API_KEY) must be a key that begins with onp_sandbox_ or onp_live_");
    }
    super(new Transport(checked(baseUrl), apiKey, { timeout, deadline, retries }, fetch));
  }
}

/** A key never leaves over an open line. */
function checked(baseUrl: string): string {
  const url = parsedUrl(baseUrl);
  if (url?.protocol !== "https:" && !(url?.protocol === "http:" && LOOPBACK.includes(url.hostname))) {
    throw new TypeError("baseUrl (or ONPAY_BASE_URL) must be https, or http on this machine");
  }
  if (url?.username || url?.password || url?.search || url?.hash) {
    throw new TypeError("baseUrl (or ONPAY_BASE_URL) must be an address without credentials, query and fragment");
  }
  return baseUrl.replace(/\/+$/, "");
}

function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
