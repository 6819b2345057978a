/** What an application of a third-party game must look like. */
import { z } from "zod";
import { normalizeSlug } from "./slugs.ts";
import { CANDIDATE_SLUG, CANDIDATE_SLUG_MAX } from "./voting.ts";

/** Text shown to people: NFC, one line, without control, bidirectional or zero-width characters. */
const line = (max: number) =>
  z
    .string()
    .transform((text) => text.normalize("NFC").trim())
    .refine((text) => [...text].length >= 1 && [...text].length <= max, { error: `expected 1 to ${max} characters` })
    .refine((text) => !/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u.test(text), {
      error: "control, bidirectional and zero-width characters are not allowed",
    });

/** `liveSlugs`: a candidate must not be taken for a game that is played here already. */
export const applicationForm = (liveSlugs: readonly string[]) =>
  z.strictObject({
    slug: z
      .string()
      .max(CANDIDATE_SLUG_MAX, `expected at most ${CANDIDATE_SLUG_MAX} characters`)
      .regex(CANDIDATE_SLUG, 'expected lower-case words like "my-game"')
      .refine((slug) => !liveSlugs.includes(normalizeSlug(slug)), { error: "this game is played here already" }),
    title: line(60),
    developer: line(60),
    url: z.url({ protocol: /^https$/, error: "expected an https address" }).max(256),
  });
