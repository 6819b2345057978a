import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { hexOut, isoTime } from "../../schemas/values.ts";
import { limitQuery } from "./schemas.ts";

export const consoleSignings = defineRoute({
  name: "console.signings",
  method: "GET",
  path: "/api/console/signings",
  summary: "What the service has signed, newest first; never the signatures",
  access: "admin",
  limits: LIMITS.publicRead,
  query: z.strictObject(limitQuery),
  response: z.object({
    signings: z.array(z.object({ kind: z.string(), key: z.string(), payloadHash: hexOut, at: isoTime })),
  }),
  example: {
    response: {
      signings: [{ kind: "Snapshot", key: EXAMPLES.sessionId, payloadHash: EXAMPLES.digest, at: EXAMPLES.at }],
    },
  },
  errors: [],
  services: ["console"],
  handle: ({ query }, { console }) => console.listSignings(query.limit),
});
