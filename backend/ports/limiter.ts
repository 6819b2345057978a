export interface LimitVerdict {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until one more request is allowed (when refused), else until the bucket is full. */
  readonly resetSeconds: number;
}

/** A token bucket per (name, key); the arithmetic is the adapter's, the numbers stand beside the routes. */
export interface Limiter {
  readonly enabled: boolean;
  take(name: string, key: string, policy: { readonly limit: number; readonly windowSeconds: number }): LimitVerdict;
}
