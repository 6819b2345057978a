/** A replay as a response: its schema, example, and the headers of a document that never changes. */
import { z } from "zod";
import type { Replay } from "../../../../domain/replay/replay.ts";
import { END_REASONS } from "../../../../domain/session.ts";
import type { FoundReplay } from "../../../services/sessions/replays.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { HttpResponse } from "../../routing/route.ts";
import type { Example } from "../../schemas/types.ts";
import { addressOut, decimal, hexOut } from "../../schemas/values.ts";

export const replay = z
  .object({
    v: z.literal(2),
    slug: z.string(),
    rulesVersion: z.int(),
    tickHz: z.int(),
    seed: hexOut,
    serverSeed: hexOut,
    seedCommitment: hexOut,
    entropy: hexOut,
    rulesHash: hexOut,
    pauses: z.array(z.tuple([z.int(), z.int(), z.int()])),
    inputs: z.array(z.tuple([z.int(), z.int()])),
    ticks: z.int(),
    finalScore: z.int(),
    endReason: z.enum(END_REASONS),
    sessionId: z.string(),
    wallet: addressOut,
    chainId: z.int(),
    rewards: addressOut,
    sequence: decimal,
    transcriptSignature: hexOut.exactOptional(),
  })
  .meta({ id: "Replay" }) satisfies z.ZodType<Replay>;

export const REPLAY_EXAMPLE: Example<typeof replay> = {
  v: 2,
  slug: EXAMPLES.slug,
  rulesVersion: 2,
  tickHz: 15,
  seed: EXAMPLES.digest,
  serverSeed: EXAMPLES.digest,
  seedCommitment: EXAMPLES.digest,
  entropy: EXAMPLES.digest,
  rulesHash: EXAMPLES.digest,
  pauses: [[300, 1, 2500]],
  inputs: [[12, 1]],
  ticks: 900,
  finalScore: EXAMPLES.score,
  endReason: "lives_lost",
  sessionId: EXAMPLES.sessionId,
  wallet: EXAMPLES.wallet,
  chainId: EXAMPLES.chainId,
  rewards: EXAMPLES.contract,
  sequence: "1",
};

/** A replay as a document that never changes, once no signature can be added to it. */
export const createReplayResponse = (found: FoundReplay): HttpResponse =>
  new HttpResponse(200, JSON.stringify(found.replay), {
    "Content-Type": "application/json",
    "Cache-Control": found.isFinal ? "public, max-age=31536000, immutable" : "public, no-cache",
    "Content-Disposition": `attachment; filename="${found.replay.slug}-${found.replay.sessionId}.json"`,
  });
