/** The parts of a game that several routes return. */
import { z } from "zod";
import { addressOut } from "./values.ts";

export const gameView = z
  .object({
    slug: z.string(),
    title: z.string(),
    description: z.string(),
    live: z.boolean(),
    tickHz: z.int(),
    actions: z.array(z.looseObject({ t: z.string() })),
    frameSchema: z.looseObject({}),
    livesMax: z.int(),
    hungerMax: z.int(),
    nft: z.object({
      address: addressOut.nullable(),
      name: z.string(),
      symbol: z.string(),
      tiers: z.array(z.object({ tier: z.int(), name: z.string(), minScore: z.int() })),
    }),
    ws: z.object({ play: z.string(), spectate: z.string() }),
    limits: z.record(z.string(), z.number()),
    rulesVersion: z.int(),
  })
  .meta({ id: "Game" });
