import { z } from "zod";
import { ArcadeError } from "../../../domain/errors.ts";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { address, decimal, hexOut } from "../../schemas.ts";

export const devFaucet = defineRoute({
  name: "dev.faucet",
  method: "POST",
  path: "/api/dev/faucet",
  summary: "Development ether for an address; chain 31337 alone",
  access: "public",
  limits: LIMITS.faucet,
  body: z.strictObject({ address }),
  response: z.object({ txHash: hexOut, amount: decimal }),
  errors: ["NOT_FOUND", "CHAIN_UNAVAILABLE"],
  localOnly: true,
  handle: ({ body }, { faucet }) => {
    if (faucet === null) throw new ArcadeError("NOT_FOUND", "The faucet exists on the local chain alone.");
    return faucet.fund(body.address);
  },
});
