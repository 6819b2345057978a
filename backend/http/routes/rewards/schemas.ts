/** Forms shared by the routes of rewards. */
import { z } from "zod";
import { finality } from "../../schemas/chain.ts";
import { decimal, hexOut } from "../../schemas/values.ts";

export const payoutView = z
  .object({
    payoutId: z.string(),
    status: z.enum(["pending", "sent", "included", "failed"]),
    txHash: hexOut.nullable(),
    /** Of the block with the transaction; null until it is included. */
    finality: finality.nullable(),
    amount: decimal,
    score: z.int(),
    points: z.int(),
    remainingPoints: z.int(),
  })
  .meta({ id: "Payout" });
