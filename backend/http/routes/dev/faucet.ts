import { parseEther } from "viem";
import { z } from "zod";
import { ArcadeError } from "../../../../domain/errors.ts";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { address, decimal, hexOut } from "../../schemas/values.ts";

const AMOUNT_WEI = parseEther("1");

export const devFaucet = defineRoute({
  name: "dev.faucet",
  method: "POST",
  path: "/api/dev/faucet",
  summary: "Development ether for an address; only on chain 31337",
  access: "public",
  limits: LIMITS.faucet,
  body: z.strictObject({ address }),
  response: z.object({ txHash: hexOut, amount: decimal }),
  example: {
    request: { address: EXAMPLES.wallet },
    response: { txHash: EXAMPLES.digest, amount: "1000000000000000000" },
  },
  errors: ["NOT_FOUND", "CHAIN_UNAVAILABLE"],
  localOnly: true,
  repeatable: false,
  services: ["faucet"],
  handle: async ({ body }, { faucet }) => {
    if (faucet === null)
      throw new ArcadeError(
        "NOT_FOUND",
        "This service has no faucet; `npm start` runs one, and `npm run chain -- fund ADDRESS` sends ether on a local node.",
      );
    return { txHash: await faucet(body.address, AMOUNT_WEI), amount: AMOUNT_WEI.toString() };
  },
});
