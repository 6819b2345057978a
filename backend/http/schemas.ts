/** Forms that several routes share. */
import { getAddress, isAddress } from "viem";
import { z } from "zod";
import { END_REASONS } from "../domain/session.ts";

/** Any case is accepted; mixed case must pass its EIP-55 checksum; the parsed value is checksummed. */
export const address = z
  .string()
  .refine((text) => isAddress(text, { strict: !/^0x([0-9a-f]{40}|[0-9A-F]{40})$/.test(text) }), {
    error: "expected an address: 0x and 40 hex digits, mixed case only with its EIP-55 checksum",
  })
  .transform((text) => getAddress(text))
  .meta({ format: "eth-address", example: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" });

export const hash32 = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, "expected 0x and 64 hex digits")
  .transform((text) => text.toLowerCase() as `0x${string}`)
  .meta({ format: "bytes32" });

export const hexBytes = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/, "expected 0x and whole bytes in hex")
  .transform((text) => text as `0x${string}`);

const UINT256_MAX = (2n ** 256n - 1n).toString();
/** An integer that fits a word of the chain; a larger one could not even be asked about. */
export const decimal = z
  .string()
  .regex(/^(0|[1-9]\d{0,77})$/, 'expected a decimal string like "1"')
  .refine((text) => text.length < UINT256_MAX.length || text <= UINT256_MAX, { error: "expected at most 2^256 - 1" });

export const sessionIdText = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i, "expected a session id (UUIDv7)")
  .transform((text) => text.toLowerCase());

/** Resolved by the door: an unknown one is `GAME_NOT_FOUND`, an old spelling becomes the canonical slug. */
export const slug = z.string().meta({ description: "Game slug", example: "shellrunners" });

/** A POST that needs nothing. */
export const emptyBody = z.strictObject({});

export const gameParams = z.strictObject({ slug });
/** The door answers `SESSION_NOT_FOUND` for anything that is not a session id. */
export const sessionParams = z.strictObject({
  slug,
  sessionId: z.string().meta({ example: "0190f1d5-7c4e-7abc-8def-0123456789ab" }),
});

export const addressOut = z.string().meta({ format: "eth-address" });
export const hexOut = z.string().regex(/^0x[0-9a-f]*$/i);
export const isoTime = z.string().meta({ format: "date-time" });
export const asOf = z.object({ block: z.int(), hash: hexOut, finality: z.enum(["included", "safe", "final"]) });

export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(100).default(25),
  page: z.coerce.number().int().min(1).max(1000).default(1),
};
export const pageBody = {
  limit: z.int().min(1).max(100).default(25),
  page: z.int().min(1).max(1000).default(1),
};
export const pageOut = <T extends z.ZodType>(item: T) => ({
  items: z.array(item),
  page: z.int(),
  limit: z.int(),
  total: z.int(),
});

export const call = z.object({
  chainId: z.int(),
  to: addressOut,
  value: z.literal("0"),
  functionName: z.string(),
  args: z.array(z.unknown()),
  data: hexOut,
});

export const typedData = z.object({
  domain: z.object({
    name: z.string(),
    version: z.string(),
    chainId: z.int(),
    verifyingContract: addressOut.optional(),
  }),
  types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
  primaryType: z.string(),
  message: z.record(z.string(), z.unknown()),
});

/** The same block for every prepared on-chain call. */
export const signedCall = z.object({
  signature: hexOut,
  digest: hexOut,
  deadline: decimal,
  verifyingContract: addressOut,
  typedData,
  call,
});

export const finality = z.enum(["included", "safe", "final"]);
export const phase = z.enum(["ready", "running", "paused", "ended"]);
/** A read for the token's own wallet; naming it is allowed and checked. */
export const walletBody = z.strictObject({ walletAddress: address.optional(), gameSlug: slug.optional() });
export const token = z.object({ address: addressOut, name: z.string(), symbol: z.string(), decimals: z.int() });
export const payoutView = z.object({
  payoutId: z.string(),
  status: z.enum(["pending", "sent", "included", "failed"]),
  txHash: hexOut.nullable(),
  amount: decimal,
  score: z.int(),
});

/** Text shown to people: NFC, without control, bidirectional or zero-width characters. Lengths in characters. */
export const plainText = (min: number, max: number) =>
  z
    .string()
    .transform((text) => text.normalize("NFC").trim())
    .refine((text) => [...text].length >= min && [...text].length <= max, {
      error: `expected ${min} to ${max} characters`,
    })
    .refine((text) => !/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u.test(text), {
      error: "control, bidirectional and zero-width characters are not allowed",
    });
export const service = z.strictObject({ name: plainText(1, 32), endpoint: z.url({ protocol: /^https$/ }).max(256) });

export const gameView = z.object({
  slug: z.string(),
  title: z.string(),
  description: z.string(),
  live: z.boolean(),
  tickHz: z.int(),
  actions: z.array(z.looseObject({ t: z.string() })),
  frameSchema: z.looseObject({}),
  livesMax: z.int(),
  hungerMax: z.int(),
  nft: z.object({
    address: addressOut.nullable(),
    name: z.string(),
    symbol: z.string(),
    tiers: z.array(z.object({ tier: z.int(), name: z.string(), minScore: z.int() })),
  }),
  ws: z.object({ play: z.string(), spectate: z.string() }),
  limits: z.record(z.string(), z.number()),
  rulesVersion: z.int(),
});

export const snapshotView = z.object({
  state: z.enum(["none", "required", "prepared", "included", "safe", "final", "forfeited"]),
  gameSessionHash: hexOut.nullable(),
  txHash: hexOut.nullable(),
});

export const sessionView = z.object({
  sessionId: z.string(),
  slug: z.string(),
  source: z.enum(["agent_api", "browser_ws"]),
  walletAddress: addressOut.nullable(),
  agentId: decimal.nullable(),
  agentName: z.string().nullable(),
  phase: z.enum(["ready", "running", "paused", "ended"]),
  startedAt: isoTime,
  endedAt: isoTime.nullable(),
  endReason: z.enum(END_REASONS).nullable(),
  score: z.int(),
  tick: z.int(),
  joinable: z.boolean(),
  spectators: z.object({ current: z.int(), max: z.int() }),
  seedCommitment: hexOut,
  replay: z.object({ available: z.boolean(), digest: hexOut }).nullable(),
  snapshot: snapshotView,
});

export const startedSession = z.object({
  session: sessionView,
  sessionId: z.string(),
  playToken: z.string(),
  practiceToken: z.string().optional(),
  wsUrl: z.string(),
  heartbeatSeconds: z.int(),
});

export const signInTokens = z.object({
  accessToken: z.string(),
  refreshToken: z.string(),
  tokenType: z.literal("Bearer"),
  accessExpiresAt: isoTime,
  refreshExpiresAt: isoTime,
  walletAddress: addressOut,
  agentId: decimal.nullable(),
});

export const channelToken = z.object({
  token: z.string(),
  expiresAt: isoTime,
  wsUrl: z.string(),
  spectatorsCurrent: z.int(),
  spectatorsMax: z.int(),
});
