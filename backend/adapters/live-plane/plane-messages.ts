/** The messages between nodes, except frames, which are the bytes that go to sockets. */
import type { Address, Hex } from "viem";
import { z } from "zod";
import { ArcadeError, ERRORS, type ErrorCode } from "../../../domain/errors.ts";
import {
  actionMessage,
  cmdMessage,
  endMessage,
  helloMessage,
  inputMessage,
} from "../../../domain/protocol/messages.ts";
import { CLOSE_REASONS, type CloseReason } from "../../../domain/protocol/rules.ts";
import { stepRequest, stepResult } from "../../../domain/protocol/step.ts";
import { ENTROPY_PATTERN } from "../../../domain/replay/seed.ts";
import { END_REASONS, PHASES, SESSION_SOURCES } from "../../../domain/session.ts";

const count = z.int().min(0);
const id = z.string().regex(/^[A-Za-z0-9-]{1,80}$/);
const tokenHash = z.string().regex(/^[0-9a-f]{64}$/);
const ip = z.string().max(64).nullable();
const closeReason = z.enum(Object.keys(CLOSE_REASONS) as [CloseReason, ...CloseReason[]]);
const errorCode = z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]);

/** A node and its connection to NATS: joins over an earlier connection are lost. */
const link = z.strictObject({ node: id, connection: count });
export type Link = z.infer<typeof link>;

/** `session.<id>.call`: the session's owner responds. */
export const callSchema = z.discriminatedUnion("op", [
  z.strictObject({ op: z.literal("view") }),
  z.strictObject({ op: z.literal("heartbeat") }),
  z.strictObject({ op: z.literal("step"), ...stepRequest.shape }),
  z.strictObject({ op: z.literal("end"), reason: z.enum(END_REASONS) }),
  z.strictObject({ op: z.literal("reserve"), tokenHash, ip, expiresAtMs: count, perIpMax: count.nullable() }),
  z.strictObject({ op: z.literal("close"), tokenHash }),
  z.strictObject({
    op: z.literal("join"),
    link,
    role: z.enum(["play", "spectate"]),
    tokenHash,
    ip,
    entropy: z
      .string()
      .regex(ENTROPY_PATTERN)
      .transform((text) => text as Hex)
      .optional(),
  }),
  z.strictObject({ op: z.literal("leave"), host: id, epoch: count }),
]);
export type Call = z.input<typeof callSchema>;
export type ReceivedCall = z.output<typeof callSchema>;
export type JoinCall = Extract<ReceivedCall, { op: "join" }>;

/** The response to a call; an error keeps its code. */
export const replySchema = z.discriminatedUnion("ok", [
  z.strictObject({ ok: z.literal(true), value: z.unknown() }),
  z.strictObject({
    ok: z.literal(false),
    error: z.strictObject({ code: errorCode, message: z.string(), fields: z.record(z.string(), z.unknown()) }),
  }),
]);
export type Reply = z.infer<typeof replySchema>;

/** Any error but `ArcadeError` is a bug of this node, whose text is not sent. */
export function toErrorReply(error: unknown): Reply {
  const { code, message, fields } =
    error instanceof ArcadeError ? error : new ArcadeError("INTERNAL", "The node that runs the session failed.");
  return { ok: false, error: { code, message, fields } };
}

const slug = z.string().max(64);
/** `node.<id>.starts`: a session for that node to store and run. */
export const startSchema = z.strictObject({
  sessionId: id,
  slug,
  source: z.enum(SESSION_SOURCES),
  ip,
  isLockstep: z.boolean(),
  player: z.strictObject({
    wallet: z
      .string()
      .regex(/^0x[0-9a-fA-F]{40}$/)
      .transform((text) => text as Address)
      .nullable(),
    agentId: z
      .string()
      .regex(/^\d{1,78}$/)
      .nullable(),
    agentName: z.string().max(1024).nullable(),
    practiceTokenHash: tokenHash.nullable(),
  }),
});
export const startedSchema = z.strictObject({ sessionId: id });

const seats = z.strictObject({ current: count, max: count });
export const viewSchema = z
  .strictObject({
    phase: z.enum(PHASES),
    score: count,
    tick: count,
    joined: z.boolean(),
    joinable: z.boolean(),
    spectators: seats,
  })
  .nullable();
export const heartbeatSchema = z.strictObject({ phase: z.enum(PHASES), expiresInSeconds: count }).nullable();
export const seatSchema = seats.extend({ reserved: z.boolean() }).nullable();
export const stepSchema = stepResult.nullable();
/** True if the row of the ended session is stored. */
export const endedSchema = z.boolean();
/** `host`: this run of the session in its owner's process; `epoch`: the joined socket's. */
export const joinedSchema = z.discriminatedUnion("joined", [
  z.strictObject({ joined: z.literal(true), link, host: id, epoch: count, hello: helloMessage }),
  z.strictObject({ joined: z.literal(false), reason: closeReason }),
]);
export type Joined = Extract<z.infer<typeof joinedSchema>, { joined: true }>;

/** `session.<id>.input`: a player's input, with the epoch of its socket. */
export const inputSchema = z.strictObject({
  host: id,
  epoch: count,
  message: z.discriminatedUnion("t", [inputMessage, actionMessage, cmdMessage]),
});
export type Input = z.infer<typeof inputSchema>;

/** Sent between frames: messages for single sockets, and the session's end or move. */
export const controlSchema = z.discriminatedUnion("t", [
  z.strictObject({ t: z.literal("end"), end: endMessage }),
  z.strictObject({ t: z.literal("close"), epoch: count, reason: closeReason }),
  z.strictObject({ t: z.literal("denied"), epoch: count }),
  z.strictObject({ t: z.literal("moved") }),
]);
export type Control = z.infer<typeof controlSchema>;

/** `node.totals`: what a node hosts, published at regular intervals. */
export const totalsSchema = z.strictObject({
  link,
  /** The node is shutting down. */
  leaving: z.boolean(),
  /** The node starts sessions for others. */
  takesStarts: z.boolean(),
  totals: z.array(z.strictObject({ slug, source: z.enum(SESSION_SOURCES), sessions: count, spectators: count })),
});
export type Totals = z.infer<typeof totalsSchema>;

/** The parsed message; null if it is not JSON of this form. */
export function parseMessage<Schema extends z.ZodType>(schema: Schema, data: Uint8Array): z.output<Schema> | null {
  try {
    const result = schema.safeParse(
      JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.length).toString("utf8")),
    );
    return result.success ? result.data : null;
  } catch {
    return null;
  }
}
