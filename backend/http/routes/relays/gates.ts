import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { isoTime } from "../../schemas/values.ts";

const bounds = z.object({
  enabled: z.literal(true),
  gasPerDay: z.int(),
  mintGasPerDay: z.int(),
  gasPerIdentity: z.int(),
  gasPerAddress: z.int().nullable(),
  mintsPerWallet: z.int(),
  mintsPerAddress: z.int().nullable(),
  left: z.object({ gas: z.int(), mintGas: z.int() }),
  resetsAt: isoTime,
});

export const relaysGates = defineRoute({
  name: "relays.gates",
  method: "GET",
  path: "/api/gates",
  summary: "The gas that this service pays for agents, and what is left today; null: no limit",
  access: "public",
  limits: LIMITS.publicRead,
  query: z.strictObject({}),
  response: z.object({ sponsorship: z.union([bounds, z.object({ enabled: z.literal(false) })]) }),
  example: {
    response: {
      sponsorship: {
        enabled: true,
        gasPerDay: 100_000_000,
        mintGasPerDay: 50_000_000,
        gasPerIdentity: 2_000_000,
        gasPerAddress: 5_000_000,
        mintsPerWallet: 1,
        mintsPerAddress: 1,
        left: { gas: 99_840_000, mintGas: 49_840_000 },
        resetsAt: EXAMPLES.weekLater,
      },
    },
  },
  otherExamples: { off: { response: { sponsorship: { enabled: false } } } },
  services: ["relays"],
  handle: (_, { relays }) => relays.getGates(),
});
