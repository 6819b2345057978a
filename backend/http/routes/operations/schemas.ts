import { z } from "zod";

export const readinessCheck = z
  .object({ name: z.string(), ok: z.boolean(), sentence: z.string(), required: z.boolean() })
  .meta({ id: "ReadinessCheck" });
