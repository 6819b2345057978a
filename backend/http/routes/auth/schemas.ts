/** Forms shared by the sign-in routes. */
import { z } from "zod";
import { addressOut, decimal, isoTime } from "../../schemas/values.ts";

export const signInTokens = z
  .object({
    accessToken: z.string(),
    refreshToken: z.string(),
    tokenType: z.literal("Bearer"),
    accessExpiresAt: isoTime,
    refreshExpiresAt: isoTime,
    walletAddress: addressOut,
    agentId: decimal.nullable(),
  })
  .meta({ id: "Credentials" });
