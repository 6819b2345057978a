import { REGISTRATION_FILES_PATH } from "../../domain/identity.ts";
import type { BuildModule } from "./builder.ts";
import type { ArcadeParameters } from "./parameters.ts";
import { createRoles } from "./roles.ts";

export const createIdentityModule = (buildModule: BuildModule, parameters: ArcadeParameters) =>
  buildModule("Identity", (m) => ({
    identity: m.contract("AgentIdentity", [
      createRoles(parameters, parameters.signers.identity),
      "Agent Arcade Identity",
      "AGENT",
      `${parameters.publicUrl}${REGISTRATION_FILES_PATH}`,
    ]),
  }));
