/** Parts of an agent's identity. */
import { z } from "zod";
import { plainText } from "../../../domain/plain-text.ts";

/** A service of an agent, as its registration file lists it. */
export const service = z.strictObject({ name: plainText(1, 32), endpoint: z.url({ protocol: /^https$/ }).max(256) });
