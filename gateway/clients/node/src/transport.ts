// Sends a call until it is answered, refused, or its time is over.

import { address, type Call, request } from "./calls.js";
import { ConnectionFailed, errorOf, OnpayError } from "./errors.js";
import { VERSION } from "./generated/names.js";
import { parsed } from "./json.js";
import { type Limits, Tries } from "./retries.js";

export interface Answer {
  content: Uint8Array;
  body: unknown;
}

export class Transport {
  readonly #key: string;

  constructor(
    readonly baseUrl: string,
    key: string,
    private readonly limits: Limits,
    private readonly fetch: typeof globalThis.fetch,
  ) {
    this.#key = key;
  }

  async send(call: Call): Promise<Answer> {
    const tries = new Tries(this.limits, call.timeout, call.deadline);
    const sent = request(call);
    for (;;) {
      const came = await this.#try(call, sent, tries.timeOfThisOne);
      if (!(came instanceof OnpayError)) return came;
      if (tries.hasRemoved(call, came)) return { content: new Uint8Array(), body: undefined };
      const pause = tries.pauseAfter(came);
      if (pause === undefined) throw came;
      await sleep(pause, call.signal);
    }
  }

  async #try(call: Call, sent: ReturnType<typeof request>, milliseconds: number): Promise<Answer | OnpayError> {
    call.signal?.throwIfAborted();
    const key = sent.headers["idempotency-key"];
    const headers = { ...sent.headers, "x-api-key": this.#key, "user-agent": `onpay-node/${VERSION}` };
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), milliseconds);
    const stop = () => over.abort();
    call.signal?.addEventListener("abort", stop);
    try {
      const options = { ...sent, headers, signal: over.signal, redirect: "manual" as const };
      const response = await this.fetch(this.baseUrl + address(call), options);
      const content = new Uint8Array(await response.arrayBuffer());
      const isPdf = response.headers.get("content-type")?.startsWith("application/pdf") ?? false;
      const body = isPdf ? undefined : parsed(new TextDecoder().decode(content));
      if (response.ok && (isPdf || hasData(body))) return { content, body };
      return errorOf(response.ok ? 502 : response.status, body, response.headers, key);
    } catch (error) {
      call.signal?.throwIfAborted();
      return new ConnectionFailed(reasonOf(error), key);
    } finally {
      clearTimeout(timer);
      call.signal?.removeEventListener("abort", stop);
    }
  }
}

/** What another answers in between has none. */
function hasData(body: unknown): boolean {
  return typeof body === "object" && body !== null && "data" in body;
}

function reasonOf(error: unknown): string {
  const cause = (error as { cause?: { code?: string } }).cause;
  return cause?.code ?? (error as Error).name;
}

function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop);
    if (signal?.aborted) stop();
  });
}
