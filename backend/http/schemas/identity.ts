/** Parts of an agent's identity. */
import { z } from "zod";
import { plainText } from "../../../domain/plain-text.ts";
import { decimal } from "./values.ts";

/** An agent of another ERC-8004 Identity registry. Routes answer null where the wallet has linked none. */
export const linkedAgent = z
  .object({ agentId: decimal, agentRegistry: z.string().describe("eip155:CHAIN:ADDRESS") })
  .meta({ id: "LinkedAgent", description: "The wallet's agent of another ERC-8004 Identity registry" });

/** A service of an agent, as its registration file lists it. */
export const service = z.strictObject({ name: plainText(1, 32), endpoint: z.url({ protocol: /^https$/ }).max(256) });
