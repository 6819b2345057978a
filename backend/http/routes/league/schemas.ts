/** Forms of the routes of the league. */
import { z } from "zod";
import { THINKING_RULES } from "../../../../domain/league/thinking.ts";
import { frameBody } from "../../../../domain/protocol/messages.ts";
import { findGame } from "../../../../games/index.ts";
import { createFrameExample } from "../../instructions/frame-example.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { slug } from "../../schemas/requests.ts";
import { hexOut, isoTime, pathTexts } from "../../schemas/values.ts";

export const submittedPolicy = z.object({
  season: z.int(),
  digest: hexOut.describe("sha256 of the text in UTF-8"),
  bytes: z.int(),
  submittedAt: isoTime,
  closesAt: isoTime.describe("Until then the policy can be replaced."),
});

export const POLICY_EXAMPLE = "(frame) => (frame.pawn.y > 300 ? { t: 'action', action: 'FLAP' } : null)";
export const SUBMITTED_EXAMPLE = {
  season: 1,
  digest: EXAMPLES.digest,
  bytes: POLICY_EXAMPLE.length,
  submittedAt: EXAMPLES.at,
  closesAt: EXAMPLES.weekLater,
} as const;

export const thinkingParams = z.strictObject({ slug, course: pathTexts.course });
export const thinkingCourse = z.object({
  season: z.int(),
  course: z.int(),
  decisions: z.int().describe("Decisions made so far; the next decision has this number plus one"),
  decisionsLeft: z.int(),
  score: z.int(),
  isOver: z.boolean().describe("The course takes no more decisions."),
  frame: frameBody.describe("The state after the last decision, as a policy gets it"),
});
export const THINKING_EXAMPLE = {
  ...{ season: 1, course: 1, decisions: 12, decisionsLeft: THINKING_RULES.decisions - 12, score: 3, isOver: false },
  frame: createFrameExample(findGame("flappybots")!) as z.input<typeof frameBody>,
};
