/** Sessions: lists them, ends one, takes its score back. */
import { z } from "zod";
import { VERIFICATION_STATES } from "../../../../domain/session.ts";
import { toIso } from "../../../../domain/time.ts";
import {
  endSession,
  listOpenSessions,
  listWithheldSessions,
  takeScoreBack,
} from "../../../services/operations/actions/sessions.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { demo, phase } from "../../schemas/sessions.ts";
import type { Example } from "../../schemas/types.ts";
import { addressOut, isoTime, sessionIdText } from "../../schemas/values.ts";
import { defineConsoleRoute, limitQuery, reason } from "./define-console-route.ts";

const session = z
  .object({
    sessionId: z.string(),
    slug: z.string(),
    source: z.string(),
    walletAddress: addressOut.nullable(),
    agentName: z.string().nullable(),
    demo,
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

const sessionExample: Example<typeof session> = {
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

export const consoleSessions = defineConsoleRoute({
  name: "console.sessions",
  method: "GET",
  path: "/api/console/sessions",
  summary: "Running sessions, practice included, with their seats",
  query: z.strictObject({}),
  response: z.object({ sessions: z.array(session) }),
  example: { response: { sessions: [sessionExample] } },
  handle: (_, { operator }) => listOpenSessions(operator),
});

export const consoleWithheld = defineConsoleRoute({
  name: "console.withheld",
  method: "GET",
  path: "/api/console/withheld",
  summary: "Sessions with a withheld score among the last 5,000 sessions, newest first",
  query: z.strictObject(limitQuery),
  response: z.object({ sessions: z.array(session) }),
  example: {
    response: {
      sessions: [{ ...sessionExample, phase: "ended", verification: "withheld", endReason: "lives_lost" }],
    },
  },
  handle: ({ query }, { operator }) => listWithheldSessions(operator, query),
});

export const consoleSessionAction = defineConsoleRoute({
  name: "console.sessionAction",
  method: "POST",
  path: "/api/console/sessions/{sessionId}",
  summary: "Ends a session, or withholds or forfeits an ended one's score for good; written to the audit",
  params: z.strictObject({ sessionId: sessionIdText }),
  body: z.strictObject({ action: z.enum(["end", "withhold", "forfeit"]), reason }),
  response: z.object({
    sessionId: z.string(),
    outcome: z.enum(["requested", "withheld", "forfeited", "unchanged"]),
    signedUntil: isoTime
      .nullable()
      .meta({ description: "A signature of the score is valid until then, unless the guardian cancels it on chain" }),
  }),
  example: {
    request: { action: "withhold", reason: "bot reads the seed" },
    response: { sessionId: EXAMPLES.sessionId, outcome: "withheld", signedUntil: null },
  },
  errors: ["SESSION_ENDED", "SESSION_NOT_ENDED", "SOURCE_NOT_ELIGIBLE", "SCORE_ON_CHAIN"],
  handle: async ({ params: { sessionId }, body: { action, reason } }, { operator }) => {
    if (action === "end") {
      await endSession(operator, { sessionId, reason });
      return { sessionId, outcome: "requested" as const, signedUntil: null };
    }
    const { outcome, session } = await takeScoreBack(operator, action, { sessionId, reason });
    const { signedUntilSeconds } = session;
    return { sessionId, outcome, signedUntil: signedUntilSeconds === null ? null : toIso(signedUntilSeconds * 1000) };
  },
});
