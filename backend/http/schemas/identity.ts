/** Parts of an agent's identity. */
import { z } from "zod";
import { plainText } from "../../../domain/plain-text.ts";
import { url } from "./values.ts";

/** A service of an agent, as its registration file lists it. */
export const service = z.strictObject({ name: plainText(1, 32), endpoint: url(["https"], 256) });
