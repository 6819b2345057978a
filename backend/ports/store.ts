/**
 * What the services need of the store, one interface a table group. Each method is one transaction; every change of
 * state is one conditional update whose row count is the answer. Times are milliseconds since 1970 (`...AtMs`).
 * Throws `STORAGE_BUSY` or `STORAGE_FULL`.
 */
import type { ChainStore, PayoutStore, SigningStore, TransactionStore } from "./store-chain.ts";
import type { ListingStore } from "./store-market.ts";
import type { OperatorStore } from "./store-operator.ts";
import type { SessionStore } from "./store-sessions.ts";
import type { NewsletterStore, StandingStore, TelemetryStore } from "./store-stats.ts";
import type { VotingStore } from "./store-voting.ts";

export type Hex = `0x${string}`;
export type Address = `0x${string}`;

export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}
export interface PageQuery {
  readonly page: number;
  readonly limit: number;
}

export interface NonceRow {
  readonly nonce: string;
  /** `auth` or `vote`. */
  readonly purpose: string;
  readonly wallet: Address;
  readonly slug: string;
  /** The exact message that was handed out. */
  readonly message: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
  readonly usedAtMs: number | null;
}

export interface AccessTokenRow {
  readonly tokenHash: string;
  readonly familyId: string;
  readonly wallet: Address;
  readonly slug: string;
  readonly expiresAtMs: number;
  readonly revokedAtMs: number | null;
}

export interface RefreshTokenRow {
  readonly tokenHash: string;
  readonly familyId: string;
  readonly wallet: Address;
  readonly slug: string;
  /** Absolute: the whole family ends then. */
  readonly expiresAtMs: number;
  readonly accessTtlSeconds: number;
  /** Salt from which the successor is derived together with the old token itself; null until rotated. */
  readonly successorSalt: string | null;
  readonly rotatedAtMs: number | null;
  /** The successor's access token expiry, so that the grace answers the same. */
  readonly successorAccessExpiresAtMs: number | null;
  readonly revokedAtMs: number | null;
}

export interface NewTokens {
  readonly access: AccessTokenRow;
  readonly refresh: RefreshTokenRow;
}

export interface AuthStore {
  addNonce(row: NonceRow): Promise<void>;
  findNonce(nonce: string): Promise<NonceRow | null>;
  /** Consumes the nonce; false when it was used already or is unknown. */
  useNonce(nonce: string, atMs: number): Promise<boolean>;
  addTokens(tokens: NewTokens): Promise<void>;
  findAccessToken(tokenHash: string): Promise<AccessTokenRow | null>;
  findRefreshToken(tokenHash: string): Promise<RefreshTokenRow | null>;
  /** Marks the old token rotated and stores its successors, if nobody rotated it before; false otherwise. */
  rotate(oldHash: string, salt: string, atMs: number, next: NewTokens): Promise<boolean>;
  revokeFamily(familyId: string, atMs: number): Promise<void>;
}

export type ChannelTokenKind = "play" | "spectate";

export interface ChannelTokenRow {
  readonly tokenHash: string;
  readonly kind: ChannelTokenKind;
  readonly sessionId: string;
  readonly wallet: Address | null;
  readonly ip: string | null;
  readonly expiresAtMs: number;
  readonly usedAtMs: number | null;
  readonly revokedAtMs: number | null;
}

export interface ChannelTokenStore {
  /** A new play token revokes the session's earlier ones in the same transaction. */
  add(row: ChannelTokenRow): Promise<void>;
  find(tokenHash: string): Promise<ChannelTokenRow | null>;
  /** One use: true for exactly one caller. */
  use(tokenHash: string, atMs: number): Promise<boolean>;
}

export interface IdempotencyRow {
  readonly caller: string;
  readonly route: string;
  readonly key: string;
  readonly bodyHash: string;
  /** Null while the first request is running. */
  readonly status: number | null;
  readonly body: string | null;
  readonly createdAtMs: number;
}

export interface IdempotencyStore {
  /** Claims the key; answers the row that was there before, null when this call claimed it. */
  claim(row: IdempotencyRow): Promise<IdempotencyRow | null>;
  complete(row: Pick<IdempotencyRow, "caller" | "route" | "key" | "status" | "body">): Promise<void>;
  release(row: Pick<IdempotencyRow, "caller" | "route" | "key">): Promise<void>;
}

export interface ProfileRow {
  readonly wallet: Address;
  readonly agentName: string;
  readonly bio: string;
  readonly links: readonly string[];
  readonly image: string | null;
  readonly services: readonly { readonly name: string; readonly endpoint: string }[];
  readonly updatedAtMs: number;
}

export type ProfileFields = Omit<ProfileRow, "wallet" | "updatedAtMs">;

export interface IdentityStore {
  /** Metadata documents by the sha256 of their exact bytes. */
  putMetadata(digest: string, bytes: string, atMs: number): Promise<void>;
  findMetadata(digest: string): Promise<string | null>;
  putProfile(row: ProfileRow): Promise<void>;
  /**
   * Changes the named fields alone; a wallet's first profile takes the others from `first`. Answers the profile as it
   * is then.
   */
  changeProfile(
    wallet: Address,
    change: Partial<ProfileFields>,
    first: ProfileFields,
    atMs: number,
  ): Promise<ProfileRow>;
  findProfile(wallet: Address): Promise<ProfileRow | null>;
}

export interface Store {
  readonly auth: AuthStore;
  readonly sessions: SessionStore;
  readonly channelTokens: ChannelTokenStore;
  readonly idempotency: IdempotencyStore;
  readonly identities: IdentityStore;
  readonly listings: ListingStore;
  readonly signings: SigningStore;
  readonly chain: ChainStore;
  readonly standings: StandingStore;
  readonly telemetry: TelemetryStore;
  readonly newsletter: NewsletterStore;
  readonly payouts: PayoutStore;
  readonly transactions: TransactionStore;
  readonly voting: VotingStore;
  readonly operator: OperatorStore;
  /** Writes one row and takes it back: proves that the database can write. */
  probe(): Promise<void>;
  close(): Promise<void>;
}
