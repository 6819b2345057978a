import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import type { frameBody } from "../../../../domain/protocol/messages.ts";
import { stepRequest, stepResult } from "../../../../domain/protocol/step.ts";
import { findGame } from "../../../../games/index.ts";
import { createFrameExample } from "../../instructions/frame-example.ts";
import { defineRoute } from "../../routing/route.ts";
import { ownWallet, sessionParams } from "../../schemas/requests.ts";

export const sessionsStep = defineRoute({
  name: "sessions.step",
  method: "POST",
  path: "/api/games/{slug}/sessions/{sessionId}/step",
  summary: "Practice with lockstep: applies a move, makes the next ticks now and returns the frame",
  access: "player",
  limits: LIMITS.step,
  params: sessionParams,
  body: z.strictObject({
    ...ownWallet,
    ...stepRequest.shape,
  }),
  response: stepResult,
  example: {
    request: { move: { t: "action", action: "FLAP" }, ticks: 1 },
    response: { frame: createFrameExample(findGame("flappybots")!) as z.input<typeof frameBody>, events: [] },
  },
  errors: ["SESSION_ENDED", "SESSION_NOT_LOCKSTEP"],
  // Each request runs ticks.
  repeatable: false,
  services: ["sessions"],
  handle: ({ params, body, caller }, { sessions }) => sessions.step(params.slug, params.sessionId, caller, body),
});
