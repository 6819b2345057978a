/** Schemas that several routes share. */
import { getAddress, type Hex, isAddress } from "viem";
import { z } from "zod";
import { ERRORS, type ErrorCode } from "../domain/errors.ts";
import { plainText } from "../domain/plain-text.ts";
import { END_REASONS, FINALITIES, PHASES, SESSION_SOURCES, SNAPSHOT_STATES } from "../domain/session.ts";
import { CALLS } from "../domain/typed-data/calls.ts";

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
/** A uint256 as decimal text. */
/** Its checks stop at the first that fails, so that a check of a route can take the text for a number. */
export const decimal = z
  .string()
  .regex(/^(0|[1-9]\d{0,77})$/, { error: 'expected a decimal string like "1"', abort: true })
  .refine((text) => text.length < UINT256_MAX.length || text <= UINT256_MAX, { error: "expected at most 2^256 - 1" });

export const sessionIdText = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i, "expected a session id (UUIDv7)")
  .transform((text) => text.toLowerCase());

/** Resolved by the pipeline: an unknown one is `GAME_NOT_FOUND`, an old spelling becomes the canonical slug. */
export const slug = z.string().meta({ description: "Game slug", example: "shellrunners" });

/** A POST that needs nothing. */
export const emptyBody = z.strictObject({});

export const gameParams = z.strictObject({ slug });
/** The pipeline rejects what is not a session id with `SESSION_NOT_FOUND`. */
export const sessionParams = z.strictObject({
  slug,
  sessionId: z.string().meta({ example: "0190f1d5-7c4e-7abc-8def-0123456789ab" }),
});

/** What a handler may return for a response schema: services hand out readonly views. */
export type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;
/** A value that fits a schema. */
export type Example<Schema extends z.ZodType> = DeepReadonly<z.input<Schema>>;

/** The type of a checked string is viem's `0x…`. */
type HexSchema = z.ZodType<Hex, Hex>;
export const addressOut = z.string().meta({ format: "eth-address" }) as unknown as HexSchema;
export const hexOut = z.string().regex(/^0x[0-9a-f]*$/i) as unknown as HexSchema;
/** An agent of another ERC-8004 Identity registry; null where the wallet has linked none. */
export const linkedAgent = z
  .object({ agentId: decimal, agentRegistry: z.string().describe("eip155:CHAIN:ADDRESS") })
  .meta({ id: "LinkedAgent", description: "The wallet's agent of another ERC-8004 Identity registry" });
export const isoTime = z.string().meta({ format: "date-time" });
export const finality = z.enum(FINALITIES).meta({ id: "Finality" });
export const phase = z.enum(PHASES).meta({ id: "Phase" });
export const asOf = z
  .object({ block: z.int(), hash: hexOut, finality })
  .meta({ id: "AsOf", description: "The block that a response speaks of" });

/** An integer in a query: decimal digits only, not the other forms of a JavaScript number (`1e3`, `0x10`, ` 7`). */
const queryInteger = (min: number, max: number) =>
  z.preprocess(
    (value) => (typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value),
    z.int().min(min).max(max),
  ) as unknown as z.ZodType<number, number>;

export const pageQuery = {
  limit: queryInteger(1, 100).default(25),
  page: queryInteger(1, 1000).default(1),
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

/** Second names of lists, which clients of the interface's first version read. No other list has one. */
type ListName = "games" | "sessions" | "listings" | "entries";

type NamedPageOut<Name extends ListName, T extends z.ZodType> = ReturnType<typeof pageOut<T>> & {
  readonly [name in Name]: z.ZodArray<T>;
};

/** As `pageOut`, with the list's second name. */
export const namedPageOut = <Name extends ListName, T extends z.ZodType>(name: Name, item: T) =>
  ({ ...pageOut(item), [name]: z.array(item) }) as NamedPageOut<Name, T>;

/** A page with its list under a second name, too. */
export const nameList = <Name extends ListName, Item, P extends { readonly items: readonly Item[] }>(
  name: Name,
  page: P,
) => ({ ...page, [name]: page.items }) as P & { readonly [name in Name]: P["items"] };

const CALL_NAMES = CALLS.flatMap((entry) => (entry.type === "function" ? [entry.name] : []));

export const call = z
  .object({
    chainId: z.int(),
    to: addressOut,
    value: z.literal("0"),
    functionName: z.enum(CALL_NAMES),
    args: z.array(z.unknown()),
    data: hexOut,
  })
  .meta({ id: "Call", description: "A call ready to send" });

export const typedData = z
  .object({
    domain: z.object({
      name: z.string(),
      version: z.string(),
      chainId: z.int(),
      verifyingContract: addressOut.exactOptional(),
    }),
    types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
    primaryType: z.string(),
    message: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "TypedData", description: "An `eth_signTypedData_v4` payload (EIP-712)" });

/** The same block for every prepared on-chain call. */
export const signedCall = z
  .object({
    signature: hexOut,
    digest: hexOut,
    deadline: decimal,
    verifyingContract: addressOut,
    typedData,
    call,
  })
  .meta({ id: "SignedCall" });

/** A read for the token's own wallet; naming it is allowed and checked. */
/** The caller's own wallet, which a body may name wherever a wallet acts; the pipeline rejects any other. */
export const ownWallet = {
  walletAddress: address.optional().meta({ description: "The caller's own wallet; any other is FORBIDDEN" }),
};
export const walletBody = z.strictObject({ ...ownWallet, gameSlug: slug.optional() });
/** A POST of a player that needs nothing. */
export const playerBody = z.strictObject(ownWallet);
export const token = z
  .object({ address: addressOut, name: z.string(), symbol: z.string(), decimals: z.int() })
  .meta({ id: "Token" });
export const payoutView = z
  .object({
    payoutId: z.string(),
    status: z.enum(["pending", "sent", "included", "failed"]),
    txHash: hexOut.nullable(),
    amount: decimal,
    score: z.int(),
    points: z.int(),
    remainingPoints: z.int(),
  })
  .meta({ id: "Payout" });

/** Where a transaction stands that the operator sends for a wallet. */
export const relayFields = {
  mode: z.literal("relayed"),
  relayId: z.string(),
  status: z.enum(["queued", "sent", "included", "failed"]),
  txHash: hexOut,
  block: z.int().nullable(),
  finality: finality.nullable(),
};
export const relayView = z.object(relayFields).meta({ id: "Relay" });
/** For requests whose call may be sent by the operator. */
export const sponsor = z.boolean().default(false).meta({
  description: "The operator sends the call and pays its gas, within the bounds of /api/gates",
});

export const service = z.strictObject({ name: plainText(1, 32), endpoint: z.url({ protocol: /^https$/ }).max(256) });

export const gameView = z
  .object({
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
  })
  .meta({ id: "Game" });

export const snapshotView = z
  .object({
    state: z.enum(SNAPSHOT_STATES),
    gameSessionHash: hexOut.nullable(),
    txHash: hexOut.nullable(),
  })
  .meta({ id: "SnapshotState" });

/** Left out for every other player. */
export const house = z
  .literal(true)
  .optional()
  .meta({ description: "An agent of the service's own: on no board, no rewards" });

export const sessionView = z
  .object({
    sessionId: z.string(),
    slug: z.string(),
    source: z.enum(SESSION_SOURCES),
    walletAddress: addressOut.nullable(),
    agentId: decimal.nullable(),
    agentName: z.string().nullable(),
    house,
    phase,
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
  })
  .meta({ id: "Session" });

export const startedSession = z
  .object({
    session: sessionView,
    sessionId: z.string(),
    playToken: z.string(),
    practiceToken: z.string().optional(),
    wsUrl: z.string(),
    heartbeatSeconds: z.int(),
  })
  .meta({ id: "StartedSession" });

export const signInTokens = z
  .object({
    accessToken: z.string(),
    refreshToken: z.string(),
    tokenType: z.literal("Bearer"),
    accessExpiresAt: isoTime,
    refreshExpiresAt: isoTime,
    walletAddress: addressOut,
    agentId: decimal.nullable(),
  })
  .meta({ id: "Credentials" });

export const channelToken = z
  .object({
    token: z.string(),
    expiresAt: isoTime,
    wsUrl: z.string(),
    spectatorsCurrent: z.int(),
    spectatorsMax: z.int(),
  })
  .meta({ id: "ChannelToken" });

/** The envelope of every success. */
export const success = z.looseObject({ ok: z.literal(true), requestId: z.string() }).meta({ id: "Success" });

export const problem = z
  .looseObject({
    ok: z.literal(false),
    code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
    error: z.string().meta({ description: "What was expected, what was received, and the next step." }),
    retryable: z.boolean().meta({ description: "The same request may succeed later without being changed." }),
    requestId: z.string(),
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
  })
  .meta({
    id: "Problem",
    description: "A failure (RFC 9457) as one flat object; a code's own fields are beside these.",
  });
