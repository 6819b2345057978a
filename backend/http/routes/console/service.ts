/** The process: draining, and the doctor. */
import { z } from "zod";
import { examine, setDraining } from "../../../services/operations/actions/service.ts";
import { defineConsoleRoute, reason } from "./define-console-route.ts";

const drainState = z.object({ draining: z.boolean() });

export const consoleDraining = defineConsoleRoute({
  name: "console.draining",
  method: "GET",
  path: "/api/console/drain",
  summary: "Whether the service rejects new work",
  query: z.strictObject({}),
  response: drainState,
  example: { response: { draining: false } },
  handle: async (_, { operator }) => ({ draining: operator.draining.get() }),
});

export const consoleDrain = defineConsoleRoute({
  name: "console.drain",
  method: "POST",
  path: "/api/console/drain",
  summary: "Begins or ends draining: the service rejects new work, running games continue. Written to the audit",
  body: z.strictObject({ draining: z.boolean(), reason }),
  response: drainState,
  example: { request: { draining: true, reason: "update" }, response: { draining: true } },
  handle: ({ body }, { operator }) => setDraining(operator, body),
});

export const consoleDoctor = defineConsoleRoute({
  name: "console.doctor",
  method: "POST",
  path: "/api/console/doctor",
  summary: "Compares contracts, roles, signers, caps, float and clocks with the chain, as npm run doctor does",
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
  handle: (_, { operator }) => examine(operator),
});
