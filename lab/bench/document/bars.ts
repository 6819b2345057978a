/**
 * The list of performance bars. Their numbers stand in the rows of the benchmarks and in the stored runs; here stand
 * the demands of those that have no stored run.
 */
import type { BarId } from "../compare/types.ts";

export interface BarEntry {
  readonly id: BarId;
  readonly what: string;
  /** Shown as "not measured yet" where no run is stored. */
  readonly demand: string;
}

export const BAR_LIST: readonly BarEntry[] = [
  {
    id: "P1",
    what: "sign typed data, from typed arguments to 65 bytes of hex",
    demand: "≥ 5 x viem in WebAssembly; ≥ 11 x viem and ≥ 60 % of the C library in the native addon",
  },
  { id: "P2", what: "hash typed data", demand: "≥ 30 x viem, ≥ 45 x ethers" },
  { id: "P3", what: "check a sign-in or a ballot", demand: "≥ 7 x siwe in WebAssembly, ≥ 22 x in the native addon" },
  { id: "P4", what: "signed endpoints through HTTP", demand: "≥ 6 x Express, zod, Kysely and viem" },
  { id: "P5", what: "durable writes through HTTP at 50 connections", demand: "≥ 7 x a commit for each write" },
  {
    id: "P6",
    what: "hot public reads, and JSON routes with a token",
    demand: "≥ 1.4 x bare Express; ≤ 1.3 x bare Express with `json()`",
  },
  {
    id: "P7",
    what: "a frame delivered to a spectator",
    demand: "≤ 0.75 x naive ws, 0.65 x Colyseus, 0.58 x socket.io at 4 spectators; 0.65, 0.6, 0.45 at 20",
  },
  {
    id: "P8",
    what: "sessions of one process in time",
    demand: "≥ 1.25 x naive ws, ≥ 1.6 x Colyseus, error of the rate < 0.1 %, at 20, 30 and 60 Hz",
  },
  { id: "P9", what: "lateness of ticks beside signatures and sign-ins", demand: "≤ 1.5 x without them" },
  {
    id: "P10",
    what: "transactions of one operator's wallet",
    demand: "≥ 4 x waiting for each receipt, ≥ 85 % of submission signed beforehand",
  },
  { id: "P11", what: "bytes of compact frames", demand: "≤ 0.15 x JSON" },
  {
    id: "P12",
    what: "from start to ready",
    demand:
      "a built tree < 3 s, a fresh clone < 10 s, an agent's whole life on both games < 90 s, `serve` after `kill -9` < 2 s (95 of 100), a migration of 100,000 sessions < 10 s",
  },
  {
    id: "P13",
    what: "cost as the store grows",
    demand: "reads within 1.3 x from a thousand to a million sessions; check of a replay of ten minutes < 10 ms",
  },
  {
    id: "P14",
    what: "steps of the training environments",
    demand:
      "≥ 1,200,000 steps per CPU second; through Python ≥ 150,000 steps a second; 1,000 courses by the tool `simulate` in < 10 s",
  },
  {
    id: "P15",
    what: "several backends",
    demand: "an operation with four backends ≤ 1.15 x one, a remote spectator ≤ 1.5 x a local one",
  },
  { id: "P16", what: "ticks beside calls of `/mcp`", demand: "≤ 0.2 ms later at 100 calls a second" },
];
