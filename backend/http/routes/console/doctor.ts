import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { defineRoute } from "../../routing/route.ts";

export const consoleDoctor = defineRoute({
  name: "console.doctor",
  method: "POST",
  path: "/api/console/doctor",
  summary: "Compares contracts, roles, signers, caps, float and clocks with the chain, as npm run doctor does",
  access: "admin",
  limits: LIMITS.publicRead,
  body: z.strictObject({}),
  response: z.object({
    findings: z.array(
      z.object({
        id: z.string(),
        status: z.enum(["ok", "warning", "fault", "skipped"]),
        finding: z.string(),
        next: z.string().nullable().meta({ description: "What to do" }),
      }),
    ),
  }),
  example: {
    request: {},
    response: {
      findings: [
        { id: "clock", status: "ok", finding: "block 42 is 1 s behind this machine", next: null },
        {
          id: "float",
          status: "warning",
          finding: "rewards: the float pays 2 more days at the daily cap",
          next: "send tokens to the rewards contract",
        },
      ],
    },
  },
  errors: ["NOT_FOUND"],
  services: ["console"],
  handle: (_, { console }) => console.runDoctor(),
});
