/** One row of the route table. */

/**
 * none: no token is sent; optional: sent where a wallet is signed in or can be; wallet: needed; player: the wallet's
 * token, or the practice token given with the call.
 */
export type TokenUse = "none" | "optional" | "wallet" | "player";

/**
 * What happens when the same request arrives twice. safe: the same outcome; keyed: the same outcome thanks to its
 * `Idempotency-Key`; once: something else may happen, so it is not repeated after a lost answer.
 */
export type Repeat = "safe" | "keyed" | "once";

export interface RouteSpec<Input = unknown, Answer = unknown> {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly token: TokenUse;
  readonly repeat: Repeat;
  /** A plain document outside the envelope. */
  readonly plain?: true;
  /** A plain document that is not JSON: answered as text. */
  readonly text?: true;
  /** Type level only: nothing is ever stored here. */
  readonly types?: { readonly input: Input; readonly answer: Answer };
}

export const get = <Input, Answer>(path: string, token: TokenUse = "none"): RouteSpec<Input, Answer> => ({
  method: "GET",
  path,
  token,
  repeat: "safe",
});
export const document = <Input, Answer>(path: string): RouteSpec<Input, Answer> => ({
  ...get<Input, Answer>(path),
  plain: true,
});
/** A picture as the text of its SVG. */
export const picture = <Input>(path: string): RouteSpec<Input, string> => ({
  ...document<Input, string>(path),
  text: true,
});
export const post = <Input, Answer>(
  path: string,
  token: TokenUse,
  repeat: Repeat = "safe",
): RouteSpec<Input, Answer> => ({
  method: "POST",
  path,
  token,
  repeat,
});
