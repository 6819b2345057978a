import { buildModule } from "@nomicfoundation/ignition-core";
import { describeArcade } from "./arcade.ts";
import type { ArcadeParameters } from "./parameters.ts";

/** The whole deployment as an Ignition module, for `hardhat ignition` and its libraries. */
export const createArcadeModule = (parameters: ArcadeParameters) => describeArcade(buildModule, parameters);
