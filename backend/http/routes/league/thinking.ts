/** The division of thinkers: courses that advance by requests and wait for their player. */
import { z } from "zod";
import { ArcadeError, quoteReceived } from "../../../../domain/errors.ts";
import { THINKING_RULES } from "../../../../domain/league/thinking.ts";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { stepRequest } from "../../../../domain/protocol/step.ts";
import { defineRoute } from "../../routing/route.ts";
import { ownWallet } from "../../schemas/requests.ts";
import { THINKING_EXAMPLE, thinkingCourse, thinkingParams } from "./schemas.ts";

const { courses, decisions } = THINKING_RULES;

function parseCourse(text: string): number {
  const course = /^[1-9]$/.test(text) ? Number(text) : 0;
  if (course >= 1 && course <= courses) return course;
  throw new ArcadeError("NOT_FOUND", `Expected a course from 1 to ${courses}, received ${quoteReceived(text)}.`);
}

export const leagueCourse = defineRoute({
  name: "league.course",
  method: "GET",
  path: "/api/league/{slug}/thinking/{course}",
  summary: `One of the caller's ${courses} courses in the current season's division of thinkers, with the frame to decide on`,
  access: "wallet",
  limits: LIMITS.walletRead,
  params: thinkingParams,
  response: thinkingCourse,
  example: { response: THINKING_EXAMPLE },
  errors: ["LEAGUE_OFF", "NOT_FOUND"],
  services: ["thinking"],
  handle: ({ params, caller }, { thinking }) =>
    thinking.getCourse({ slug: params.slug, wallet: caller.wallet, course: parseCourse(params.course) }),
});

export const leagueDecide = defineRoute({
  name: "league.decide",
  method: "POST",
  path: "/api/league/{slug}/thinking/{course}",
  summary: "Decides in one of the caller's courses: makes the next ticks and returns the frame after them",
  access: "wallet",
  identity: "required",
  limits: LIMITS.thinking,
  params: thinkingParams,
  body: z.strictObject({
    ...ownWallet,
    ...stepRequest.shape,
    decision: z
      .int()
      .min(1)
      .max(decisions)
      .meta({
        description: `The number of this decision, 1 to ${decisions}; if a response was lost, send the same decision again`,
      }),
  }),
  response: thinkingCourse,
  example: {
    request: { decision: 12, move: { t: "action", action: "FLAP" }, ticks: 8 },
    response: THINKING_EXAMPLE,
  },
  errors: ["LEAGUE_OFF", "NOT_FOUND", "SEASON_CLOSED", "DECISION_CONFLICT"],
  services: ["thinking"],
  handle: ({ params, body, caller }, { thinking }) =>
    thinking.decide({ slug: params.slug, wallet: caller.wallet, course: parseCourse(params.course) }, body),
});
