/** The chain in responses: blocks, the reward token, and transactions that the operator sends. */
import { z } from "zod";
import { FINALITIES } from "../../../domain/session.ts";
import { addressOut, hexOut } from "./values.ts";

export const finality = z.enum(FINALITIES).meta({ id: "Finality" });
export const asOf = z
  .object({ block: z.int(), hash: hexOut, finality })
  .meta({ id: "AsOf", description: "The block that the response is about" });

export const token = z
  .object({ address: addressOut, name: z.string(), symbol: z.string(), decimals: z.int() })
  .meta({ id: "Token" });

/** The status of a transaction that the operator sends for a wallet. */
export const relayFields = {
  mode: z.literal("relayed"),
  relayId: z.string(),
  status: z.enum(["queued", "sent", "included", "failed"]),
  txHash: hexOut,
  block: z.int().nullable(),
  finality: finality.nullable(),
};
