/** Forms of the routes of the league. */
import { z } from "zod";
import { EXAMPLES } from "../../routing/examples.ts";
import { hexOut, isoTime } from "../../schemas/values.ts";

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
