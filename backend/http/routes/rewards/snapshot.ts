import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { finality, hash32, hexOut, sessionIdText, signedCall, slug } from "../../schemas.ts";

const summary = z.object({ sessionId: z.string(), gameSlug: z.string(), scoreDelta: z.int(), gameSessionHash: hexOut });

export const rewardsSnapshot = defineRoute({
  name: "rewards.snapshot",
  method: "POST",
  path: "/api/rewards/snapshot",
  summary: "The signed snapshot of an ended session's score, or of up to 16 with all: true",
  access: "wallet",
  identity: "cached",
  limits: LIMITS.snapshot,
  body: z
    .strictObject({
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
  response: signedCall.partial().extend({
    mode: z.enum(["sign", "already_done", "recorded"]),
    ...summary.partial().shape,
    sessions: z.array(summary).optional(),
    txHash: hexOut.nullable().optional(),
    finality: finality.optional(),
  }),
  errors: [
    "GAME_NOT_FOUND",
    "IDENTITY_REQUIRED",
    "SESSION_NOT_FOUND",
    "SESSION_NOT_ENDED",
    "SOURCE_NOT_ELIGIBLE",
    "NOTHING_TO_SNAPSHOT",
    "REPLAY_MISMATCH",
    "TX_NOT_FOUND",
    "TX_FAILED",
    "TX_MISMATCH",
    "CHAIN_UNAVAILABLE",
    "SIGNER_UNAVAILABLE",
  ],
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
