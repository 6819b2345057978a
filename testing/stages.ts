/** The stages that a stack can start from, each built on the one before. */
import {
  type ArcadeClient,
  type ArcadeWallet,
  mintOrUpgradeNft,
  registerAgent,
  requestPayout,
  snapshotScore,
} from "../client/index.ts";
import { findGame } from "../games/index.ts";
import { addEndedSession, type StoreLocation } from "./ended-session.ts";
import type { Stage } from "./options.ts";

/** The game of the stages. */
export const STAGE_SLUG = "shellrunners";

interface StageContext {
  readonly stack: StoreLocation;
  readonly client: ArcadeClient;
  readonly wallet: ArcadeWallet;
  /** Moves the clocks of service and chain. */
  advance(ms: number): Promise<void>;
  readonly nowMs: () => number;
  readonly drawBytes: (count: number) => Buffer;
}

/** More than the cooldown of a local payout. */
const COOLDOWN_MS = 60_000;

/** Takes the stack from the previous stage to this one. */
export const REACH_STAGE: { readonly [stage in Stage]: (context: StageContext) => Promise<unknown> } = {
  deployed: async () => undefined,
  registered: ({ client }) => registerAgent({ client, agentName: "Tester" }),
  "signed-in": ({ client }) => client.signIn.signIn(),
  "session-ended": ({ stack, wallet, nowMs, drawBytes }) => {
    const [{ minScore } = { minScore: 1 }] = findGame(STAGE_SLUG)!.nft.tiers;
    const played = { wallet: wallet.address, slug: STAGE_SLUG, minScore, endedAtMs: nowMs() };
    return addEndedSession(stack, { ...played, randomPart: drawBytes(10) });
  },
  "score-on-chain": ({ client }) => snapshotScore({ client }),
  "nft-minted": ({ client }) => mintOrUpgradeNft({ client, slug: STAGE_SLUG }),
  paid: async ({ client, advance }) => {
    await advance(COOLDOWN_MS);
    const result = await requestPayout({ client });
    if (!result.paid) throw new Error(`the payout is not ready: ${result.reasons.join(", ")}`);
  },
};
