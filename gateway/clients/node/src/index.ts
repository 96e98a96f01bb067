// Onpay Gateway: payments, refunds, payouts and verified webhooks.

export { Onpay, type OnpayOptions } from "./client.js";
export type { CallOptions, PostOptions } from "./calls.js";
export * from "./errors.js";
export type * from "./generated/api.js";
export type { OnpayEvent } from "./generated/events.js";
export { VERSION } from "./generated/names.js";
export type { Page, Pages } from "./pages.js";
export * as webhooks from "./webhooks.js";
