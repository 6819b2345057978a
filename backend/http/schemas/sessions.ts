/** The parts of a session that several routes return. */
import { z } from "zod";
import { END_REASONS, PHASES, SESSION_SOURCES, SNAPSHOT_STATES } from "../../../domain/session.ts";
import { addressOut, decimal, hexOut, isoTime } from "./values.ts";

export const phase = z.enum(PHASES).meta({ id: "Phase" });

export const snapshotView = z
  .object({
    state: z.enum(SNAPSHOT_STATES),
    gameSessionHash: hexOut.nullable(),
    txHash: hexOut.nullable(),
  })
  .meta({ id: "SnapshotState" });

/** Absent for all other players. */
export const demo = z
  .literal(true)
  .optional()
  .meta({ description: "An agent of the service itself: not on boards, no rewards" });

export const sessionView = z
  .object({
    sessionId: z.string(),
    slug: z.string(),
    source: z.enum(SESSION_SOURCES),
    walletAddress: addressOut.nullable(),
    agentId: decimal.nullable(),
    agentName: z.string().nullable(),
    demo,
    test: z.literal(true).optional().meta({
      description: "Played on a local test stack (chain 31337), where tests may choose course, score and speed",
    }),
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
