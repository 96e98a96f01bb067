// Which failures are worth another try, and when.

import type { Call } from "./calls.js";
import { ConnectionFailed, NotFound, type OnpayError, ServerError } from "./errors.js";

export interface Limits {
  /** Milliseconds of one try: 30,000. */
  timeout: number;
  /** Milliseconds of a whole call, with all its tries: 60,000. */
  deadline: number;
  /** How many tries follow the first: 4. */
  retries: number;
}

/** The tries of one call. */
export class Tries {
  private readonly endsAt: number;
  private left: number;
  private backoff = 500;
  private mayBeDone = false;

  constructor(limits: Limits, private readonly timeout = limits.timeout, deadline = limits.deadline) {
    this.endsAt = performance.now() + deadline;
    this.left = limits.retries;
  }

  /** Milliseconds of the next try, never longer than what is left of the whole. */
  get timeOfThisOne(): number {
    return Math.max(Math.min(this.timeout, this.endsAt - performance.now()), 1);
  }

  /** Whether a removal is done although it finds nothing: an answer before was lost. */
  hasRemoved(call: Call, failure: OnpayError): boolean {
    const isGone = failure instanceof NotFound && failure.code.startsWith("ONP404");
    return call.removes !== undefined && this.mayBeDone && isGone;
  }

  /** Milliseconds until the next try; undefined where the failure stands. */
  pauseAfter(failure: OnpayError): number | undefined {
    if (!failure.retryable || this.left === 0) return undefined;
    this.left -= 1;
    this.mayBeDone ||= failure instanceof ConnectionFailed || failure instanceof ServerError;
    const asked = (failure.retryAfter ?? 0) * 1000;
    const pause = asked + (0.1 + 0.9 * Math.random()) * (asked ? Math.min(asked, 1000) : this.backoff);
    this.backoff = Math.min(this.backoff * 2, 8000);
    return performance.now() + pause < this.endsAt ? pause : undefined;
  }
}
