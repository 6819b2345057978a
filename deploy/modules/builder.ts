import type { buildModule } from "@nomicfoundation/ignition-core";

/** How a module is built: with Ignition's own function, or with the recorder of `deploy/steps.ts`. */
export type BuildModule = typeof buildModule;
