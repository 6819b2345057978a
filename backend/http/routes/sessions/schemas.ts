import { z } from "zod";
import type { Replay } from "../../../domain/replay/replay.ts";
import { END_REASONS } from "../../../domain/session.ts";
import { addressOut, decimal, hexOut } from "../../schemas.ts";

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
