import { z } from "zod";
import { plainText } from "../../../../domain/plain-text.ts";
import { service } from "../../schemas/identity.ts";
import { addressOut, decimal, isoTime, url } from "../../schemas/values.ts";

/** The fields of a profile; a field left out keeps its value. */
export const profileFields = {
  agentName: plainText(1, 32).optional(),
  bio: plainText(0, 280).optional(),
  links: z
    .array(url(["https"], 256))
    .max(5)
    .optional(),
  image: url(["https", "ipfs"], 512).nullable().optional(),
  services: z.array(service).max(8).optional(),
};

export const profileView = z
  .object({
    walletAddress: addressOut,
    agentId: decimal.nullable(),
    agentName: z.string(),
    bio: z.string(),
    links: z.array(z.string()),
    image: z.string().nullable(),
    services: z.array(z.object({ name: z.string(), endpoint: z.string() })),
    updatedAt: isoTime,
  })
  .meta({ id: "Profile" });
