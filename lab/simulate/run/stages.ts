/** The stages of an agent. A run of one stage starts after the earlier stages. */
import type { Address } from "viem";
import type { State } from "../chain/state.ts";
import { tally } from "./game.ts";

export const STAGES = ["registration", "session", "snapshot", "mint", "payout"] as const;
export type Stage = (typeof STAGES)[number];

/** The stage completed before a run of this one; null if none. A mint and a payout both follow a snapshot. */
export const PREVIOUS: { readonly [stage in Stage]: Stage | null } = {
  registration: null,
  session: "registration",
  snapshot: "session",
  mint: "snapshot",
  payout: "snapshot",
};

/** A wallet's progress, according to the chain and its agent's sessions. */
export interface Progress {
  readonly state: State;
  readonly wallet: Address;
  /** Sessions with a score. */
  readonly ended: number;
  /** Sessions that the agent intends to play. */
  readonly wanted: number;
}

const findHolder = ({ state, wallet }: Progress) => state.holders.get(wallet.toLowerCase());
const findAccount = ({ state, wallet }: Progress) => state.accounts.get(wallet.toLowerCase());

/** Whether the agent has completed a stage, by the current chain: a reorganization may undo it. */
export const IS_BEHIND: { readonly [stage in Stage]: (progress: Progress) => boolean } = {
  registration: (progress) => (findHolder(progress)?.primaryId ?? 0n) !== 0n,
  session: ({ ended, wanted }) => ended >= wanted,
  snapshot: (progress) => Number(findAccount(progress)?.snapshots ?? 0n) >= progress.ended,
  mint: (progress) => progress.state.records.has(`${tally.slug}:${findHolder(progress)?.primaryId}`),
  payout: (progress) => findAccount(progress)?.scorebank === 0n,
};

/** The stages that must be complete at the end of a run of this stage. A run of all stages uses those of `payout`. */
const NEEDED: { readonly [stage in Stage]: readonly Stage[] } = {
  registration: ["registration"],
  session: ["registration", "session"],
  snapshot: ["session", "snapshot"],
  mint: ["session", "snapshot", "mint"],
  payout: ["session", "snapshot", "payout"],
};

export const isEverythingBehind = (stage: Stage, progress: Progress): boolean =>
  NEEDED[stage].every((needed) => IS_BEHIND[needed](progress));
