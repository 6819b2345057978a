/** Whole stacks, stages, faults and wallets for end-to-end tests on a local chain. */
export { type Arcade, type ArcadeOptions, type EndedSession, startArcade } from "./arcade.ts";
export type { ArcadeContracts } from "./contracts.ts";
export { TestingError, type TestingErrorCode } from "./errors.ts";
export type { Player } from "./player.ts";
export { STAGES, type Stage } from "./stages.ts";
