/** A replay as a response: its schema, example, and the headers of a document that never changes. */
import type { Hex } from "viem";
import { z } from "zod";
import type { Replay } from "../../../domain/replay/replay.ts";
import { END_REASONS } from "../../../domain/session.ts";
import { EXAMPLES } from "../../examples.ts";
import { HttpResponse } from "../../route.ts";
import { addressOut, decimal, type Example, hexOut } from "../../schemas.ts";

export const replay = z
  .object({
    v: z.literal(1),
    slug: z.string(),
    rulesVersion: z.int(),
    tickHz: z.int(),
    seed: hexOut,
    inputs: z.array(z.tuple([z.int(), z.int()])),
    ticks: z.int(),
    finalScore: z.int(),
    endReason: z.enum(END_REASONS),
    stateDigests: z.array(hexOut),
    sessionId: z.string(),
    wallet: addressOut,
    chainId: z.int(),
    rewards: addressOut,
    sequence: decimal,
  })
  .meta({ id: "Replay" }) satisfies z.ZodType<Replay>;

export const REPLAY_EXAMPLE: Example<typeof replay> = {
  v: 1,
  slug: EXAMPLES.slug,
  rulesVersion: 1,
  tickHz: 15,
  seed: EXAMPLES.digest,
  inputs: [[12, 1]],
  ticks: 900,
  finalScore: EXAMPLES.score,
  endReason: "lives_lost",
  stateDigests: [EXAMPLES.digest],
  sessionId: EXAMPLES.sessionId,
  wallet: EXAMPLES.wallet,
  chainId: EXAMPLES.chainId,
  rewards: EXAMPLES.contract,
  sequence: "1",
};

/** A replay with its digest as strong ETag. */
export const createReplayResponse = (found: { readonly replay: Replay; readonly digest: Hex | null }): HttpResponse =>
  new HttpResponse(200, JSON.stringify(found.replay), {
    "Content-Type": "application/json",
    "Cache-Control": "public, max-age=31536000, immutable",
    "Content-Disposition": `attachment; filename="${found.replay.slug}-${found.replay.sessionId}.json"`,
    ...(found.digest === null ? {} : { ETag: `"${found.digest}"` }),
  });
