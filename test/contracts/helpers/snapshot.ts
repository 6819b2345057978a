import { expect } from "chai";
import { id } from "ethers";
import { type Arcade, as, type By, GAME_ID, nowSeconds } from "./arcade.ts";
import { expectEvent } from "./expect.ts";
import { signMessage, soon } from "./sign.ts";

export interface Snapshot {
  readonly wallet: string;
  readonly gameId: string;
  readonly score: bigint;
  readonly gameSessionHash: string;
  readonly deadline: bigint;
}

/** A session hash with the given sequence in its low 64 bits. */
export const hashOf = (sequence: bigint, salt = "session"): string =>
  `${id(`${salt}${sequence}`).slice(0, 50)}${sequence.toString(16).padStart(16, "0")}`;

type Changes = Partial<Snapshot> & { readonly sequence?: bigint };

export async function makeSnapshot(arcade: Arcade, changes: Changes = {}): Promise<Snapshot> {
  const { sequence = 1n, ...rest } = changes;
  return {
    wallet: arcade.player.address,
    gameId: GAME_ID,
    score: 500n,
    gameSessionHash: hashOf(sequence),
    deadline: await soon(arcade),
    ...rest,
  };
}

export const snapshotArgs = (snapshot: Snapshot, signature: string): unknown[] => [
  snapshot.wallet,
  snapshot.gameId,
  snapshot.score,
  snapshot.gameSessionHash,
  snapshot.deadline,
  signature,
];

/** Signs and sends without looking at the outcome. */
export async function sendSnapshot(arcade: Arcade, changes: Changes = {}, by: By = {}) {
  const snapshot = await makeSnapshot(arcade, changes);
  const signature = await signMessage(arcade, by.key ?? arcade.keys.score, "Snapshot", { ...snapshot });
  return as(arcade.rewards, by.sender ?? arcade.player).snapshotScoreSigned(...snapshotArgs(snapshot, signature));
}

/** Sends a snapshot and checks event and stored record together. */
export async function expectSnapshot(arcade: Arcade, changes: Changes = {}, by: By = {}): Promise<void> {
  const { rewards } = arcade;
  const snapshot = await makeSnapshot(arcade, changes);
  const before = await rewards.accountOf(snapshot.wallet);
  expect(await rewards.isSessionConsumed(snapshot.wallet, snapshot.gameSessionHash)).to.equal(false);
  const bank = before.scorebank + snapshot.score;
  const sent = await sendSnapshot(arcade, snapshot, by);
  await expectEvent(
    sent,
    rewards,
    "ScoreSnapshot",
    snapshot.wallet,
    snapshot.gameId,
    snapshot.gameSessionHash,
    snapshot.score,
    bank,
  );
  const now = await nowSeconds(arcade);
  const after = await rewards.accountOf(snapshot.wallet);
  expect(after.toObject()).to.deep.equal({
    scorebank: bank,
    firstPlayAt: before.firstPlayAt === 0n ? now : before.firstPlayAt,
    lastPayoutAt: before.lastPayoutAt,
    lastSnapshotAt: now,
    snapshots: before.snapshots + 1n,
  });
  expect(await rewards.getScorebank(snapshot.wallet)).to.equal(bank);
  expect(await rewards.isSessionConsumed(snapshot.wallet, snapshot.gameSessionHash)).to.equal(true);
}
