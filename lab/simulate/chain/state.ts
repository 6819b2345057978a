/** The state of the chain model's contracts after a block. Wallets are keys in lower case; amounts are points. */

export interface Holder {
  readonly primaryId: bigint;
  /** Unix seconds; 0 if there is no primary identity. */
  readonly primarySince: bigint;
  readonly mintNonce: bigint;
  readonly balance: bigint;
}

export interface Account {
  readonly scorebank: bigint;
  readonly firstPlayAt: bigint;
  readonly lastPayoutAt: bigint;
  readonly lastSnapshotAt: bigint;
  readonly snapshots: bigint;
}

export interface GameRecord {
  readonly owner: string;
  readonly score: bigint;
  readonly mintedAt: bigint;
  readonly upgradedAt: bigint;
  readonly upgrades: bigint;
}

export interface State {
  lastAgentId: bigint;
  readonly identityOwners: Map<bigint, string>;
  readonly holders: Map<string, Holder>;
  readonly accounts: Map<string, Account>;
  /** `wallet:sequence`. */
  readonly consumed: Set<string>;
  /** `slug:tokenId`. */
  readonly records: Map<string, GameRecord>;
  readonly tokens: Map<string, bigint>;
  /** The UTC day of the sums, in days since 1970. */
  day: bigint;
  paidToday: bigint;
  paidThisWeek: bigint;
  /** All points ever paid, which the contract does not count. */
  readonly paid: Map<string, bigint>;
}

/** The parameters of the rewards contract; amounts in points. */
export interface Limits {
  readonly rate: bigint;
  readonly cooldownSeconds: bigint;
  readonly minScore: bigint;
  readonly maxPayout: bigint;
  readonly dailyCap: bigint;
  readonly weeklyCap: bigint;
  readonly maxScorePerSession: bigint;
}

export const NO_HOLDER: Holder = { primaryId: 0n, primarySince: 0n, mintNonce: 0n, balance: 0n };
export const NO_ACCOUNT: Account = {
  scorebank: 0n,
  firstPlayAt: 0n,
  lastPayoutAt: 0n,
  lastSnapshotAt: 0n,
  snapshots: 0n,
};

export const createState = (tokens: ReadonlyMap<string, bigint>): State => ({
  lastAgentId: 0n,
  identityOwners: new Map(),
  holders: new Map(),
  accounts: new Map(),
  consumed: new Set(),
  records: new Map(),
  tokens: new Map(tokens),
  day: 0n,
  paidToday: 0n,
  paidThisWeek: 0n,
  paid: new Map(),
});

/** A copy; the values of the maps are never changed in place. */
export const copyState = (state: State): State => ({
  ...state,
  identityOwners: new Map(state.identityOwners),
  holders: new Map(state.holders),
  accounts: new Map(state.accounts),
  consumed: new Set(state.consumed),
  records: new Map(state.records),
  tokens: new Map(state.tokens),
  paid: new Map(state.paid),
});
