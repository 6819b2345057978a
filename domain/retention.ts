/** How long the rows of each table are kept. Proofs of scores, payouts and votes are never removed. */

export interface RetentionRule {
  /** Null: the rows are kept forever. */
  readonly days: number | "by number" | "with its season" | null;
  /** When the days start; for rows that are kept, why. */
  readonly from: string;
}

export const RETENTION = {
  nonces: { days: 1, from: "they expire" },
  accessTokens: { days: 7, from: "they expire" },
  refreshTokens: { days: 7, from: "they expire" },
  channelTokens: { days: 1, from: "they expire" },
  idempotencyKeys: { days: 1, from: "the request" },
  telemetryEvents: { days: 90, from: "their arrival" },
  sessions: { days: 7, from: "a practice session has ended; sessions of agents are kept forever" },
  recordings: { days: 7, from: "a practice session has ended; replays of agents prove their scores" },
  recordingChunks: { days: 7, from: "a practice session has ended; replays of agents prove their scores" },
  orders: { days: 7, from: "a practice session has ended; the audit has its own row" },
  metadataDocuments: { days: 7, from: "a registration that was never minted; what an identity may point to is kept" },
  signings: { days: 30, from: "the signature of an identity mint; those of scores and NFTs are kept forever" },
  listings: { days: 30, from: "the end of the listing" },
  hiddenListings: { days: 30, from: "the end of the listing" },
  relays: { days: 30, from: "the relay; its transaction is kept" },
  transactionOrders: { days: null, from: "what the operator has ordered by hand" },
  blocks: {
    days: "by number",
    from: "the last 100,000, and one in 10,000 before them: a reorganization goes back to one of them",
  },
  chainEvents: { days: null, from: "scores, payouts and tokens on chain" },
  deployment: { days: null, from: "one row for the chain and for each contract" },
  chainTotals: { days: null, from: "one row for each block with events" },
  scorebanks: { days: null, from: "one row for each snapshot and payout" },
  payouts: { days: null, from: "what was paid" },
  transactions: { days: null, from: "what the operator has sent" },
  votingCandidates: { days: null, from: "public results of votes" },
  votingCycles: { days: null, from: "public results of votes" },
  votes: { days: null, from: "anyone can recount them" },
  leagueSeasons: { days: null, from: "one row for each season, with its round: anyone can replay it" },
  leaguePolicies: { days: "with its season", from: "the round is stored: its file has all texts" },
  leagueThinking: { days: "with its season", from: "the round is stored: its file has all decisions" },
  audit: { days: null, from: "what the operator has changed" },
  standings: { days: 1, from: "the end of a board's day, week or month; boards of all time are kept forever" },
  boardTotals: { days: 1, from: "the end of a board's day, week or month; boards of all time are kept forever" },
  profiles: { days: null, from: "one row for each holder of an identity" },
  subscribers: { days: null, from: "addresses of the newsletter" },
  leases: { days: null, from: "one row" },
  nodes: { days: 1, from: "the end of the lease, when another node starts" },
} as const satisfies { readonly [table: string]: RetentionRule };

type Rules = typeof RETENTION;
/** Tables whose rows expire on their own; rows of other tables go with the row that they belong to. */
export const PURGED_TABLES = [
  "nonces",
  "accessTokens",
  "refreshTokens",
  "channelTokens",
  "idempotencyKeys",
  "telemetryEvents",
  "sessions",
  "metadataDocuments",
  "signings",
  "listings",
  "relays",
  "standings",
] as const satisfies readonly (keyof Rules)[];
export type PurgedTable = (typeof PURGED_TABLES)[number];
