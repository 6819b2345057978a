/** Puts the scores of many sessions on a real chain, in signed batches of a wallet's sessions. */
import { createSigners } from "../../backend/adapters/signer/signers.ts";
import type { Deployment } from "../../backend/ports/chain.ts";
import { type Replay, toGameId } from "../../domain/replay/replay.ts";
import { createCall } from "../../domain/typed-data/calls.ts";
import { createTypedData } from "../../domain/typed-data/messages.ts";
import { type ChainFixture, testKeys } from "../adapters/chain/chain-fixture.ts";
import type { RecordedSession } from "../games/recorded-session.ts";

const ITEMS_PER_TRANSACTION = 50;

/** Signs with the score key, as the service does, and sends from the first account of the chain. */
export async function submitScores(
  {
    client,
    deployment,
    players,
  }: Pick<ChainFixture, "client" | "players"> & {
    readonly deployment: Pick<Deployment, "chainId" | "rewards">;
  },
  sessions: readonly RecordedSession[],
): Promise<void> {
  const { chainId, rewards } = deployment;
  const scoreSigner = createSigners(testKeys)("score");
  const deadline = String((await client.getBlock()).timestamp + 86_400n);
  const byWallet = Map.groupBy(sessions, ({ replay }) => replay.wallet);
  for (const [wallet, own] of byWallet) {
    for (let from = 0; from < own.length; from += ITEMS_PER_TRANSACTION) {
      const items = own.slice(from, from + ITEMS_PER_TRANSACTION).map(({ replay, claims }) => ({
        gameSessionHash: claims.gameSessionHash,
        gameId: toGameId(replay.slug),
        score: String(replay.finalScore),
      }));
      const message = createTypedData(
        "SnapshotBatch",
        { chainId, verifyingContract: rewards },
        { wallet, items, deadline },
      );
      const { signature } = await scoreSigner.sign(message);
      const { data } = createCall(chainId, rewards, "snapshotScoresSigned", [wallet, items, deadline, signature]);
      const hash = await client.sendTransaction({ account: players[0]!, to: rewards, data });
      const { status } = await client.waitForTransactionReceipt({ hash });
      if (status !== "success") throw new Error(`the scores of ${wallet} were not accepted`);
    }
  }
}

/** A recorded session whose score on chain is one point higher than its replay's. */
export const withWrongScore = <Session extends RecordedSession>(session: Session): Session => ({
  ...session,
  replay: { ...session.replay, finalScore: session.replay.finalScore + 1 } satisfies Replay,
});
