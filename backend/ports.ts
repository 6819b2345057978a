/** Everything the services may know of the world outside: types alone, implemented by the adapters. */
export type * from "./ports/chain.ts";
export type * from "./ports/clock.ts";
export type * from "./ports/limiter.ts";
export type * from "./ports/live.ts";
export type * from "./ports/log.ts";
export type * from "./ports/market.ts";
export type * from "./ports/metrics.ts";
export type * from "./ports/signer.ts";
export type * from "./ports/store.ts";
export type * from "./ports/store-chain.ts";
export type * from "./ports/store-market.ts";
export type * from "./ports/store-operator.ts";
export type * from "./ports/store-sessions.ts";
export type * from "./ports/store-stats.ts";
export type * from "./ports/store-voting.ts";
export type * from "./ports/worker.ts";
