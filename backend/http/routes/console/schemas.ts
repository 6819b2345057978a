/** Forms that the console's routes share. */
import { z } from "zod";
import { VERIFICATION_STATES } from "../../../../domain/session.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { house, phase } from "../../schemas/sessions.ts";
import type { Example } from "../../schemas/types.ts";
import { addressOut, isoTime, sessionIdText } from "../../schemas/values.ts";

const ROWS_MAX = 200;

/** How many rows of a list. */
export const limitQuery = { limit: z.coerce.number<number>().int().min(1).max(ROWS_MAX).default(50) };

/** Why a change is made, for the audit. */
export const reason = z.string().trim().min(1).max(200);

export const sessionActionParams = z.strictObject({ sessionId: sessionIdText });

export const consoleSession = z
  .object({
    sessionId: z.string(),
    slug: z.string(),
    source: z.string(),
    walletAddress: addressOut.nullable(),
    agentName: z.string().nullable(),
    house,
    tickHz: z.int(),
    phase,
    score: z.int(),
    tick: z.int(),
    joined: z.boolean(),
    spectators: z.object({ current: z.int(), max: z.int() }),
    verification: z.enum(VERIFICATION_STATES),
    startedAt: isoTime,
    endReason: z.string().nullable(),
  })
  .meta({ id: "ConsoleSession" });

export const consoleSessionExample: Example<typeof consoleSession> = {
  sessionId: EXAMPLES.sessionId,
  slug: EXAMPLES.slug,
  source: "agent_api",
  walletAddress: EXAMPLES.wallet,
  agentName: "Pinch",
  tickHz: 20,
  phase: "running",
  score: EXAMPLES.score,
  tick: 900,
  joined: true,
  spectators: { current: 4, max: 50 },
  verification: "pending",
  startedAt: EXAMPLES.at,
  endReason: null,
};
