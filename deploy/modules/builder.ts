import type { buildModule } from "@nomicfoundation/ignition-core";

/** How a module is built: by Ignition's own function, or by the recorder of `deploy/steps.ts`. */
export type BuildModule = typeof buildModule;
