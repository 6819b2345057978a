/** Calls that the backend prepares for a wallet, and payloads that a wallet signs. */
import { z } from "zod";
import { CALLS } from "../../../domain/typed-data/calls.ts";
import { addressOut, decimal, hexOut } from "./values.ts";

const CALL_NAMES = CALLS.flatMap((entry) => (entry.type === "function" ? [entry.name] : []));

export const call = z
  .object({
    chainId: z.int(),
    to: addressOut,
    value: z.literal("0"),
    functionName: z.enum(CALL_NAMES),
    args: z.array(z.unknown()),
    data: hexOut,
  })
  .meta({ id: "Call", description: "A call ready to send" });

export const typedData = z
  .object({
    domain: z.object({
      name: z.string(),
      version: z.string(),
      chainId: z.int(),
      verifyingContract: addressOut.exactOptional(),
    }),
    types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
    primaryType: z.string(),
    message: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "TypedData", description: "An `eth_signTypedData_v4` payload (EIP-712)" });

/** The response of every route that prepares a signed call. */
export const signedCall = z
  .object({
    signature: hexOut,
    digest: hexOut,
    deadline: decimal,
    verifyingContract: addressOut,
    typedData,
    call,
  })
  .meta({ id: "SignedCall" });
