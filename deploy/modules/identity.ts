import { buildModule } from "@nomicfoundation/hardhat-ignition/modules";
import { makeDuties } from "./duties.ts";
import type { ArcadeParameters } from "./parameters.ts";

export const makeIdentityModule = (parameters: ArcadeParameters) =>
  buildModule("Identity", (m) => ({
    identity: m.contract("AgentIdentity", [
      makeDuties(parameters, parameters.signers.identity),
      "Agent Arcade Identity",
      "AGENT",
      `${parameters.publicUrl}/api/metadata/identity/`,
    ]),
  }));
