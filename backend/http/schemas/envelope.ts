/** The envelopes of successes and failures. */
import { z } from "zod";
import { ERRORS, type ErrorCode } from "../../../domain/errors.ts";

/** The envelope of every success. Generators of clients reject `additionalProperties` beside a constant. */
export const success = z.object({ ok: z.literal(true) }).meta({ id: "Success" });

export const problem = z
  .looseObject({
    ok: z.literal(false),
    code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
    error: z.string().meta({ description: "What was expected, what was received, and the next step." }),
    retryable: z.boolean().meta({ description: "The same request may succeed later, unchanged." }),
    requestId: z.string(),
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
  })
  .meta({
    id: "Problem",
    description: "A failure (RFC 9457) as one flat object; some codes add fields.",
  });
