/** The client's retry policy: full-jitter backoff, only for requests that are safe to repeat and may then succeed. */
import { ArcadeApiError } from "./errors.ts";
import type { RouteSpec } from "./route-spec.ts";

export interface RetryPolicy {
  /** Retries after the first try. */
  readonly retries: number;
  /** The n-th wait is a random part of `baseMs x 2^n`. */
  readonly baseMs: number;
  /** If the response has a longer `Retry-After`, its error is thrown at once. */
  readonly maxRetryAfterSeconds: number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** The maximum delay of a timer; longer ones fire at once. */
export const TIMER_MAX_MS = 2 ** 31 - 1;

/** Waits, 24 days at most; rejects with the signal's reason when it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(
      () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      },
      Math.min(ms, TIMER_MAX_MS),
    );
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", abort, { once: true });
  });
}

/** The default policy. */
export const DEFAULT_RETRY: RetryPolicy = {
  retries: 5,
  baseMs: 500,
  maxRetryAfterSeconds: 60,
  sleep,
  random: Math.random,
};

/** Whether to send a failed request again. `tries`: how often it was sent. */
function mayRetry(
  error: unknown,
  repeat: RouteSpec["repeat"] | undefined,
  tries: number,
  policy: RetryPolicy,
): error is ArcadeApiError {
  if (!(error instanceof ArcadeApiError) || !error.retryable || tries > policy.retries) return false;
  if ((error.retryAfterSeconds ?? 0) > policy.maxRetryAfterSeconds) return false;
  // After these errors the service may have performed the request.
  const isOutcomeUnknown = error.code === "NETWORK_FAULT" || error.code === "BAD_ANSWER" || error.code === "INTERNAL";
  if (isOutcomeUnknown && repeat === "once") return false;
  return error.code !== "INTERNAL" || tries === 1;
}

/** Milliseconds before the next try; never less than `Retry-After`. */
function getDelayMs(error: ArcadeApiError, tries: number, policy: RetryPolicy): number {
  const jitterMs = policy.random() * policy.baseMs * 2 ** (tries - 1);
  return error.retryAfterSeconds === null ? jitterMs : error.retryAfterSeconds * 1000 + policy.random() * policy.baseMs;
}

/** Runs `work` until it succeeds or may not be repeated. */
export async function withRetry<T>(
  work: () => Promise<T>,
  repeat: RouteSpec["repeat"] | undefined,
  policy: RetryPolicy,
  signal?: AbortSignal,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (signal?.aborted || !mayRetry(error, repeat, tries, policy)) throw error;
      await policy.sleep(getDelayMs(error, tries, policy), signal);
    }
  }
}
