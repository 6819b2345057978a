/** Whole stacks, stages, faults and wallets for end-to-end tests on a local chain. */
export { type Arcade, type ArcadeOptions, type EndedSession, startArcade } from "./arcade.ts";
export { CHAOS, type ChaosKind, type Fault, type FaultName } from "./chaos/faults.ts";
export { type ChaosNode, type ChaosOptions, startChaosNode } from "./chaos/node.ts";
export { shrinkFaults } from "./chaos/shrink.ts";
export type { ArcadeContracts } from "./contracts.ts";
export { TestingError, type TestingErrorCode } from "./errors.ts";
export type { Player } from "./player.ts";
export { STAGES, type Stage } from "./stages.ts";
