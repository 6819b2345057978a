import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { toRelayResponse } from "../../responses/relay-response.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { signedCall } from "../../schemas/calls.ts";
import { finality, relayFields } from "../../schemas/chain.ts";
import { ownWallet, slug, sponsor } from "../../schemas/requests.ts";
import { hash32, hexOut, sessionIdText } from "../../schemas/values.ts";

const summary = z
  .object({ sessionId: z.string(), gameSlug: z.string(), scoreDelta: z.int(), gameSessionHash: hexOut })
  .meta({ id: "SnapshotSummary" });

const batch = {
  sessions: z.array(summary),
  scoreDelta: z.int(),
  more: z.boolean().describe("More scores are left: repeat the request once this call is on chain"),
};

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
      sponsor,
    })
    .refine((body) => !body.all || (body.sessionId === undefined && body.txHash === undefined), {
      error: "all: true takes neither sessionId nor txHash",
    })
    .refine((body) => !body.sponsor || body.txHash === undefined, { error: "sponsor: true takes no txHash" })
    .refine((body) => body.txHash === undefined || body.sessionId !== undefined, {
      error: "txHash needs the sessionId it belongs to",
    })
    .meta({
      dependentRequired: { txHash: ["sessionId"] },
      allOf: [
        {
          anyOf: [
            { properties: { all: { const: false } } },
            { not: { anyOf: [{ required: ["sessionId"] }, { required: ["txHash"] }] } },
          ],
        },
        { anyOf: [{ properties: { sponsor: { const: false } } }, { not: { required: ["txHash"] } }] },
      ],
    }),
  response: z.union([
    signedCall.and(summary.extend({ mode: z.literal("sign") })),
    signedCall.and(z.object({ mode: z.literal("sign"), ...batch })),
    summary.extend(relayFields),
    z.object({ ...relayFields, ...batch }),
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
    sponsored: {
      request: { sessionId: EXAMPLES.sessionId, sponsor: true },
      response: { ...EXAMPLES.scored, ...EXAMPLES.relay },
    },
    all: {
      request: { all: true },
      response: {
        mode: "sign",
        sessions: [EXAMPLES.scored],
        scoreDelta: EXAMPLES.score,
        more: false,
        ...EXAMPLES.snapshotBatchCall,
      },
    },
  },
  statuses: [200, 202],
  errors: [
    "SPONSORSHIP_EXHAUSTED",
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
  services: ["rewards", "catalog", "relays"],
  handle: async ({ body, caller, ip }, { rewards, catalog, relays }) => {
    const { wallet } = caller;
    const gameSlug = body.gameSlug === undefined ? null : catalog.resolveSlug(body.gameSlug);
    const snapshotAll = () => rewards.snapshotAll({ wallet, slug: gameSlug });
    const snapshotOne = () =>
      rewards.snapshot({ wallet, sessionId: body.sessionId ?? null, slug: gameSlug, txHash: body.txHash ?? null });
    if (!body.sponsor) return body.all ? snapshotAll() : snapshotOne();
    return toRelayResponse(
      body.all
        ? await relays.sponsor({ kind: "snapshot_batch", wallet, ip }, snapshotAll)
        : await relays.sponsor({ kind: "snapshot", wallet, ip }, snapshotOne),
    );
  },
});
