/**
 * The messages of the play and spectate channels, in both directions: JSON text, discriminated by `t`. The server
 * validates with these schemas, the client derives its types from them, and `/asyncapi.json` is generated from them.
 */

import type { Hex } from "viem";
import { z } from "zod";
import { ENTROPY_PATTERN } from "../replay/seed.ts";
import { END_REASONS, PHASES } from "../session.ts";
import { CLIENT_ERROR_CODES } from "./rules.ts";

export * from "./rules.ts";

/** Each game has its own list of inputs (`inputs`); any other word is a `BAD_MESSAGE`. */
const keyword = z.string().regex(/^[A-Za-z_]{1,32}$/);
const seq = z.int().min(0).max(Number.MAX_SAFE_INTEGER).optional().describe("Echoed in the next frames as `ackSeq`.");

export const authMessage = z
  .strictObject({
    t: z.literal("auth"),
    token: z.string().regex(/^a[ps]_[A-Za-z0-9_-]{16,128}$/, "expected a playToken or spectateToken from the service"),
    entropy: z
      .string()
      .regex(ENTROPY_PATTERN)
      .transform((text) => text as Hex)
      .exactOptional()
      .describe(
        "Play channel only: the player's part of the seed, 1 to 32 random bytes. Only the first `auth` of a session counts.",
      ),
  })
  .describe("The first message of either channel.");

export const inputMessage = z
  .strictObject({ t: z.literal("input"), dir: keyword, seq })
  .describe(
    "A direction (`left`, `right`, `none`) from the next tick on, until the next one. With lockstep, makes that tick.",
  );

export const actionMessage = z
  .strictObject({ t: z.literal("action"), action: keyword, seq })
  .describe(
    "An action (`FLAP`, `NOOP`) for the next tick; several FLAPs within one tick count as one. With lockstep, makes that tick.",
  );

export const cmdMessage = z
  .strictObject({ t: z.literal("cmd"), cmd: z.enum(["pause", "resume", "exit"]), seq })
  .describe("Both games: pause and resume within the budget, or end the session with its score.");

export const pingMessage = z.strictObject({ t: z.literal("ping") }).describe("Answered by `pong`.");

export const playerMessage = z.discriminatedUnion("t", [inputMessage, actionMessage, cmdMessage, pingMessage]);
export const spectatorMessage = z.discriminatedUnion("t", [pingMessage]);

export type Command = z.infer<typeof cmdMessage>["cmd"];

const phase = z.enum(PHASES);
const count = z.int().min(0);
const spectators = z.object({ current: count, max: count });
/** The type of a checked string is viem's `0x…`. */
type HexSchema = z.ZodType<Hex, Hex>;
const hex8 = z.string().regex(/^0x[0-9a-f]{16}$/) as unknown as HexSchema;
const hex32 = z.string().regex(/^0x[0-9a-f]{64}$/) as unknown as HexSchema;

export const helloMessage = z
  .object({
    t: z.literal("hello"),
    v: z.literal(1),
    role: z.enum(["play", "spectate"]),
    slug: z.string(),
    sessionId: z.uuid(),
    tickHz: z.int().positive(),
    phase,
    tick: count,
    rulesVersion: z.int().positive(),
    seedCommitment: hex32.describe("sha256 of the seed's bytes; the replay reveals the seed."),
    entropy: z
      .string()
      .regex(/^0x([0-9a-f]{2}){0,32}$/)
      .nullable()
      .describe(
        "The player's part of the seed, `0x` if it gave none; null before its first join. The game starts from sha256(server's 32 bytes || entropy), or from the server's bytes if the entropy is empty.",
      ),
    resumed: z.boolean().describe("The player had the controls before."),
    lockstep: z
      .boolean()
      .describe(
        "Practice that waits for its player: each `input` or `action` makes a tick at once; without one, the next tick comes after 30 s.",
      ),
    pauseBudget: z
      .object({
        pauses: z.object({ left: count, secondsLeft: z.number().min(0) }),
        disconnects: z.object({ secondsLeft: z.number().min(0) }),
      })
      .describe(
        "`pauses`: what is left for pauses by command; `disconnects`: for pauses after disconnects, each of at least a second. When those are used up, the game continues without input.",
      ),
    spectators,
    world: z.object({ width: z.int().positive(), height: z.int().positive() }),
  })
  .describe("Sent once, after authentication.");

const entity = z.looseObject({
  id: z.int(),
  kind: z.string(),
  class: z.enum(["food", "collectible", "powerup", "obstacle", "gate"]),
  x: z.int(),
  y: z.int(),
  w: z.int(),
  h: z.int(),
  vx: z.int().exactOptional(),
  vy: z.int().exactOptional(),
});

export const frameBody = z.looseObject({
  v: z.literal(1),
  sessionId: z.uuid(),
  slug: z.string(),
  tick: count,
  tMs: count.describe("Play time: the tick in milliseconds. Stands still in a pause."),
  phase,
  score: z.object({ current: count, high: count }),
  lives: count,
  livesMax: count,
  hunger: count,
  hungerMax: count,
  pawn: z.looseObject({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
  entities: z.array(entity),
  spectators,
  ackSeq: count.exactOptional().describe("The latest `seq` of the player that was applied."),
  inputsDigest: hex8
    .exactOptional()
    .describe("The running digest of the recorded inputs (docs/replays.md). Compact frames leave it out."),
  skipped: count
    .exactOptional()
    .describe("Frames this socket missed since the one before, because it read too slowly."),
});

export const frameMessage = z
  .object({ t: z.literal("frame"), frame: frameBody })
  .describe("The whole authoritative state, once a tick. Any number of frames may be missed.");

export const eventMessage = z
  .looseObject({ t: z.literal("event"), event: z.string(), tick: count })
  .describe("Something that happened; never skipped.");

export const endMessage = z
  .object({
    t: z.literal("end"),
    sessionId: z.uuid(),
    score: count,
    endReason: z.enum(END_REASONS),
    replayDigest: hex32,
    inputsDigest: hex8.exactOptional().describe("The digest of all recorded inputs."),
    next: z
      .object({ method: z.literal("POST"), path: z.string(), body: z.object({ sessionId: z.uuid() }) })
      .nullable()
      .describe("The call that snapshots the score; null if there is nothing to snapshot."),
  })
  .describe("The session is over and stored. The socket closes after it.");

export const errorMessage = z
  .object({ t: z.literal("error"), code: z.enum(CLIENT_ERROR_CODES), error: z.string(), fatal: z.boolean() })
  .describe(
    "A message was rejected: what was expected and received. If `fatal`, the socket then closes with `code` as its reason.",
  );

export const pongMessage = z.object({ t: z.literal("pong") }).describe("The answer to `ping`.");

const shapeField = z.union([z.string(), z.tuple([z.string(), z.union([z.string(), z.int()])])]);
export const compactMessage = z
  .object({
    t: z.literal("compact"),
    v: z.literal(1),
    firstWord: count.describe("The index of the first of `words`."),
    words: z.array(z.union([z.string(), z.boolean(), z.null()])),
    firstShape: count.describe("The index of the first of `shapes`."),
    shapes: z.array(z.array(shapeField)).describe("The keys of an object; a pair is a key with a fixed value."),
  })
  .describe("Only with `?enc=compact`: new entries of the dictionaries for the binary frames that follow.");

export const serverMessage = z.discriminatedUnion("t", [
  helloMessage,
  frameMessage,
  eventMessage,
  endMessage,
  errorMessage,
  pongMessage,
  compactMessage,
]);

export type HelloMessage = z.infer<typeof helloMessage>;
export type FrameBody = z.infer<typeof frameBody>;
export type FrameMessage = z.infer<typeof frameMessage>;
export type EventMessage = z.infer<typeof eventMessage>;
export type EndMessage = z.infer<typeof endMessage>;
export type ServerMessage = z.infer<typeof serverMessage>;
