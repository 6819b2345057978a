/** Forms that the routes of rewards share. */
import { z } from "zod";
import { finality } from "../../schemas/chain.ts";
import { decimal, hexOut } from "../../schemas/values.ts";

export const payoutView = z
  .object({
    payoutId: z.string(),
    status: z.enum(["pending", "sent", "included", "failed"]),
    txHash: hexOut.nullable(),
    /** Of the block that has its transaction; null while none has it. */
    finality: finality.nullable(),
    amount: decimal,
    score: z.int(),
    points: z.int(),
    remainingPoints: z.int(),
  })
  .meta({ id: "Payout" });
