/** Forms shared by the routes of sessions. */
import { z } from "zod";
import { isoTime } from "../../schemas/values.ts";

export const channelToken = z
  .object({
    token: z.string(),
    expiresAt: isoTime,
    wsUrl: z.string(),
    spectatorsCurrent: z.int(),
    spectatorsMax: z.int(),
  })
  .meta({ id: "ChannelToken" });
