import { z } from "zod";
import { LIMITS } from "../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../examples.ts";
import { defineRoute } from "../../route.ts";
import { finality, hash32, hexOut, ownWallet, sessionIdText, signedCall, slug } from "../../schemas.ts";

const summary = z
  .object({ sessionId: z.string(), gameSlug: z.string(), scoreDelta: z.int(), gameSessionHash: hexOut })
  .meta({ id: "SnapshotSummary" });

export const rewardsSnapshot = defineRoute({
  name: "rewards.snapshot",
  method: "POST",
  path: "/api/rewards/snapshot",
  summary: "The signed snapshot of an ended session's score, or of up to 16 with all: true",
  access: "wallet",
  identity: "required",
  limits: LIMITS.snapshot,
  body: z
    .strictObject({
      ...ownWallet,
      sessionId: sessionIdText.optional(),
      gameSlug: slug.optional(),
      txHash: hash32.optional(),
      all: z.boolean().default(false),
    })
    .refine((body) => !body.all || (body.sessionId === undefined && body.txHash === undefined), {
      error: "all: true takes neither sessionId nor txHash",
    })
    .refine((body) => body.txHash === undefined || body.sessionId !== undefined, {
      error: "txHash needs the sessionId it belongs to",
    }),
  response: z.union([
    signedCall.and(summary.extend({ mode: z.literal("sign") })),
    signedCall.and(z.object({ mode: z.literal("sign"), sessions: z.array(summary), scoreDelta: z.int() })),
    summary.extend({ mode: z.literal("already_done"), txHash: hexOut.nullable() }),
    summary.extend({ mode: z.literal("recorded"), txHash: hexOut, finality }),
  ]),
  example: {
    request: { sessionId: EXAMPLES.sessionId },
    response: { mode: "sign", ...EXAMPLES.scored, ...EXAMPLES.snapshotCall },
  },
  otherExamples: {
    recorded: {
      request: { sessionId: EXAMPLES.sessionId, txHash: EXAMPLES.digest },
      response: { mode: "recorded", ...EXAMPLES.scored, txHash: EXAMPLES.digest, finality: "included" },
    },
    all: {
      request: { all: true },
      response: {
        mode: "sign",
        sessions: [EXAMPLES.scored],
        scoreDelta: EXAMPLES.score,
        ...EXAMPLES.snapshotBatchCall,
      },
    },
  },
  errors: [
    "GAME_NOT_FOUND",
    "SESSION_NOT_FOUND",
    "SESSION_NOT_ENDED",
    "SOURCE_NOT_ELIGIBLE",
    "NOTHING_TO_SNAPSHOT",
    "REPLAY_MISMATCH",
    "TX_NOT_FOUND",
    "TX_FAILED",
    "TX_MISMATCH",
    "SIGNER_UNAVAILABLE",
    "CHAIN_UNAVAILABLE",
  ],
  services: ["rewards", "catalog"],
  handle: async ({ body, caller }, { rewards, catalog }) => {
    const gameSlug = body.gameSlug === undefined ? null : catalog.resolveSlug(body.gameSlug);
    if (body.all) return rewards.snapshotAll({ wallet: caller.wallet, slug: gameSlug });
    return rewards.snapshot({
      wallet: caller.wallet,
      sessionId: body.sessionId ?? null,
      slug: gameSlug,
      txHash: body.txHash ?? null,
    });
  },
});
