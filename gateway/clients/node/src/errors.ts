// What can go wrong with a call. Neither the key nor the body of the request is in an error.

import type { ErrorDetail } from "./generated/api.js";

/** Every error of this library. */
export class OnpayError extends Error {
  readonly retryable: boolean = false;
  readonly retryAfter: number | undefined = undefined;

  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** A delivery is not from Onpay, was changed, or is too old: answer 400 and do nothing. */
export class SignatureError extends OnpayError {}

/** No answer arrived: the call may have had its effect. Repeat a POST with this `idempotencyKey` to find out. */
export class ConnectionFailed extends OnpayError {
  override readonly retryable = true;

  constructor(reason: string, readonly idempotencyKey: string | undefined) {
    super(`no answer: ${reason}`);
  }
}

/** The service refused the call: `code` is for programs, `message` for people. */
export class APIError extends OnpayError {
  readonly code: string;
  override readonly retryable: boolean;
  override readonly retryAfter: number | undefined;
  readonly requestId: string | undefined;
  readonly docUrl: string | undefined;
  readonly field: string | undefined;
  readonly fields: NonNullable<ErrorDetail["fields"]>;
  readonly paymentId: string | undefined;

  constructor(
    readonly status: number,
    readonly details: Partial<ErrorDetail>,
    readonly idempotencyKey: string | undefined,
  ) {
    const code = details.code ?? `HTTP_${status}`;
    const field = details.field ? ` (${details.field})` : "";
    const message = details.message ?? "The answer is not one of this API.";
    super(`${code}${field}: ${message} [${details.requestId}] ${details.docUrl ?? ""}`.trimEnd());
    this.code = code;
    this.retryable = details.retryable ?? [429, 502, 503, 504].includes(status);
    this.retryAfter = details.retryAfter;
    this.requestId = details.requestId;
    this.docUrl = details.docUrl;
    this.field = details.field;
    this.fields = details.fields ?? [];
    this.paymentId = details.paymentId;
  }
}

/** 400 and its relatives: `field` and `fields` name what is wrong. */
export class BadRequest extends APIError {}
/** 401: the key is missing, unknown, revoked, or of the other environment. */
export class AuthenticationFailed extends APIError {}
/** 403: the key, the address or the company may not do this. */
export class PermissionDenied extends APIError {}
/** 404. */
export class NotFound extends APIError {}
/** 409: the state of the object, a reference in use, or the idempotency key. */
export class Conflict extends APIError {}
/** 422: understood, and refused by a rule or a provider. */
export class Refused extends APIError {}
/** 429: `retryAfter` seconds are left. */
export class RateLimited extends APIError {}
/** 5xx: the call may have had its effect. Repeat a POST with this `idempotencyKey`. */
export class ServerError extends APIError {}

const KINDS: Record<number, typeof APIError> = {
  401: AuthenticationFailed,
  403: PermissionDenied,
  404: NotFound,
  409: Conflict,
  422: Refused,
  429: RateLimited,
};

/** The error of an answer, also of one that a proxy wrote. */
export function errorOf(status: number, body: unknown, headers: Headers, key: string | undefined): APIError {
  const error = (body as { error?: Partial<ErrorDetail> } | undefined)?.error;
  const told: Partial<ErrorDetail> = typeof error?.code === "string" ? { ...error } : {};
  const wait = told.retryAfter ?? secondsOf(headers.get("retry-after") ?? "");
  delete told.retryAfter;
  if (typeof wait === "number" && wait >= 0) told.retryAfter = wait;
  told.requestId ??= headers.get("requestid") ?? "";
  return new (KINDS[status] ?? (status >= 500 ? ServerError : BadRequest))(status, told, key);
}

/** What a header asks to wait: seconds, or until a moment. */
function secondsOf(text: string): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) || !text.includes(",") ? undefined : Math.max((at - Date.now()) / 1000, 0);
}
