/** One row of the client's table of routes. */
export interface RouteSpec {
  readonly method: "GET" | "POST";
  readonly path: string;
  /**
   * Absent: no token is sent; optional: sent if a wallet is signed in or can be; wallet: required; player: the wallet's
   * token, or the practice token given with the call; admin: the operator's token, given with the call.
   */
  readonly token?: "optional" | "wallet" | "player" | "admin";
  /**
   * What happens when the same request arrives twice. Absent: the same result; keyed: the same result thanks to its
   * `Idempotency-Key`; once: possibly a second effect, so it is not repeated after a lost response.
   */
  readonly repeat?: "keyed" | "once";
  /** A plain document outside the envelope. */
  readonly plain?: true;
  /** A plain document that is not JSON, returned as text. */
  readonly text?: true;
}
