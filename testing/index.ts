/** Whole stacks, stages and faults for end-to-end tests on a local chain. */
export type { Arcade, EndedSession } from "./arcade.ts";
export { CHAOS, type ChaosKind, type Fault, type FaultName, type FaultRule } from "./chaos/faults.ts";
export { type ChaosNode, type ChaosOptions, type Intercept, startChaosNode } from "./chaos/node.ts";
export { shrinkFaults } from "./chaos/shrink.ts";
export type { ArcadeContracts } from "./contracts.ts";
export { TestingError, type TestingErrorCode } from "./errors.ts";
export { type ArcadeOptions, STAGES, type Stage } from "./options.ts";
export type { Player } from "./player.ts";
export { startArcade } from "./start-arcade.ts";
export {
  announceWallet,
  type ScriptedWallet,
  type WalletOptions,
  type WalletPage,
  type WalletRequest,
} from "./wallet.ts";
