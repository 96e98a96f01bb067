// A call as it is sent.

import { randomUUID } from "node:crypto";
import { encoded } from "./json.js";

export interface CallOptions {
  /** Milliseconds of one try. */
  timeout?: number;
  /** Milliseconds of the whole call, with all its tries. */
  deadline?: number;
  signal?: AbortSignal;
}

export interface PostOptions extends CallOptions {
  /** A UUID for this effect; one is made where you give none, and kept while the call is tried again. */
  idempotencyKey?: string;
}

export interface Call extends PostOptions {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  body?: unknown;
  query?: object;
  /** The id of what is gone afterwards. */
  removes?: string;
  /** The member that names an item of a list whose pages can begin after an item. */
  goesOnAfter?: string | undefined;
}

/** An id as a part of a path. */
export function id(value: string): string {
  if (["", ".", ".."].includes(value)) throw new TypeError("an id is empty or dots"); // other places of a path
  return encodeURIComponent(value);
}

/** The path with its query. */
export function address(call: Call): string {
  const given = Object.entries(call.query ?? {}).filter(([, value]) => value !== undefined && value !== null);
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return query ? `${call.path}?${query}` : call.path;
}

/** What every try sends alike: the key makes the second one harmless. */
export function request(call: Call): { method: string; headers: Record<string, string>; body?: string } {
  const headers: Record<string, string> = { accept: "application/json, application/pdf" };
  if (call.method === "POST") headers["idempotency-key"] = call.idempotencyKey ?? randomUUID();
  if (call.body === undefined) return { method: call.method, headers };
  headers["content-type"] = "application/json";
  return { method: call.method, headers, body: encoded(call.body) };
}
