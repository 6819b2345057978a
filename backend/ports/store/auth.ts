import type { Address, Hex } from "viem";

export interface NonceRow {
  readonly nonce: string;
  /** `auth` or `vote`. */
  readonly purpose: string;
  readonly wallet: Address;
  readonly slug: string;
  /** The exact message that the client got. */
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
  /** The expiry of the whole family. */
  readonly expiresAtMs: number;
  readonly accessTtlSeconds: number;
  /** Salt from which the successor is derived together with the old token itself; null until rotated. */
  readonly successorSalt: string | null;
  readonly rotatedAtMs: number | null;
  /** The expiry of the successor's access token, so that a repeated refresh gets the same response. */
  readonly successorAccessExpiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** The digest and the signature that a contract wallet accepted (ERC-1271); null if a key signed. */
  readonly contractDigest: Hex | null;
  readonly contractSignature: Hex | null;
}

/** Which tokens to revoke: those of one sign-in, or those of every sign-in of a wallet. */
export type RevokedTokens = { readonly familyId: string } | { readonly wallet: Address };

export interface Revocation {
  /** Sign-ins that were still valid. */
  readonly families: number;
  /** Tokens of play and spectate channels that those sign-ins asked for. */
  readonly channelTokens: readonly Pick<ChannelTokenRow, "sessionId" | "tokenHash">[];
}

export interface NewTokens {
  readonly access: AccessTokenRow;
  readonly refresh: RefreshTokenRow;
}

export interface AuthStore {
  addNonce(row: NonceRow): Promise<void>;
  findNonce(nonce: string): Promise<NonceRow | null>;
  /** Consumes the nonce; false when it was used already or is unknown. */
  consumeNonce(nonce: string, atMs: number): Promise<boolean>;
  addTokens(tokens: NewTokens): Promise<void>;
  /** True while the wallet has a sign-in that is neither revoked nor expired. */
  hasSignIn(wallet: Address, atMs: number): Promise<boolean>;
  findAccessToken(tokenHash: string): Promise<AccessTokenRow | null>;
  findRefreshToken(tokenHash: string): Promise<RefreshTokenRow | null>;
  /** Marks the old token as rotated and stores its successors; false when it was rotated or revoked before. */
  rotateRefreshToken(oldHash: string, salt: string, atMs: number, next: NewTokens): Promise<boolean>;
  /** Revokes access, refresh and channel tokens in one transaction. */
  revoke(tokens: RevokedTokens, atMs: number): Promise<Revocation>;
}

export type ChannelTokenKind = "play" | "spectate";

export interface ChannelTokenRow {
  readonly tokenHash: string;
  readonly kind: ChannelTokenKind;
  readonly sessionId: string;
  readonly wallet: Address | null;
  /** The sign-in that asked for the token; null for anonymous players and spectators. */
  readonly familyId: string | null;
  readonly ip: string | null;
  readonly expiresAtMs: number;
  readonly usedAtMs: number | null;
  readonly revokedAtMs: number | null;
}

export interface ChannelTokenStore {
  /** A new play token revokes the session's earlier ones in the same transaction. */
  add(row: ChannelTokenRow): Promise<void>;
  find(tokenHash: string): Promise<ChannelTokenRow | null>;
  /** Uses the token; true for exactly one caller. */
  consume(tokenHash: string, atMs: number): Promise<boolean>;
}
