/** Codes that a route's tests leave to another file, as `route: CODE`. That file checks that it covers them. */
export const SHOWN_BY = {
  ballots: ["voting.vote: NONCE_INVALID", "voting.vote: NONCE_EXPIRED", "voting.vote: SIGNATURE_INVALID"],
  idempotency: ["sessions.start: SESSION_ENDED"],
  transfers: ["nft.prepare: FORBIDDEN", "nft.prepare: NOT_FOUND"],
} as const satisfies { readonly [file: string]: readonly string[] };
