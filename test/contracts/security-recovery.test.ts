import { expect } from "chai";
import { type AnySigner, as, DAY_SECONDS, GAME_ID, nowSeconds, TOKEN, useArcade } from "./helpers/arcade.ts";
import { mintIdentities } from "./helpers/identity.ts";
import { signMessage, soon } from "./helpers/sign.ts";
import { hashOf } from "./helpers/snapshot.ts";

/** The limits of public networks, with a fortieth of their caps: ten thieves can take a whole day's cap. */
const LIMITS = {
  scoreToTokenRate: TOKEN / 10_000n,
  minScore: 10_000n,
  maxScorePerSession: 100_000n,
  maxPayout: 50n * TOKEN,
  dailyCap: 500n * TOKEN,
  weeklyCap: 2_500n * TOKEN,
};
const DAYS_BEFORE = 3;
const DAYS_PAUSED = 2;
const DAYS_AFTER = 30;
const HOUR_SECONDS = 3_600n;
/** Points that each player earns a day: 40 tokens. */
const EARNED = 4n * LIMITS.maxScorePerSession;

describe("recovery from a leaked score key, 30 days on", () => {
  const arcade = useArcade({ limits: LIMITS });
  const credited = new Map<string, bigint>();
  let sequence: bigint;
  let key: AnySigner;

  /** Credits sessions of the highest score, with the current key. Returns false if the contract is paused. */
  async function credit(wallet: string, points: bigint, by: AnySigner): Promise<boolean> {
    if (await arcade.rewards.paused()) return false;
    const items = Array.from({ length: Number(points / LIMITS.maxScorePerSession) }, () => {
      sequence += 1n;
      return { gameSessionHash: hashOf(sequence), gameId: GAME_ID, score: LIMITS.maxScorePerSession };
    });
    const message = { wallet, items, deadline: await soon(arcade) };
    const signature = await signMessage(arcade, by, "SnapshotBatch", message);
    await as(arcade.rewards, arcade.operator).snapshotScoresSigned(wallet, items, message.deadline, signature);
    return true;
  }

  const pay = (signer: AnySigner) =>
    as(arcade.rewards, signer)
      .payout(signer.address)
      .catch(() => {});

  async function sumBalances(signers: readonly AnySigner[]): Promise<bigint> {
    const balances = await Promise.all(signers.map(({ address }) => arcade.token.balanceOf(address)));
    return balances.reduce((sum, balance) => sum + balance, 0n);
  }

  /** The steps of docs/contracts.md; returns when the contract is open again. `waitForKey`: a day and more. */
  async function recover(
    forged: readonly { readonly wallet: string; readonly points: bigint }[],
    waitForKey: () => Promise<void>,
  ): Promise<void> {
    const { rewards, guardian, admin, keys } = arcade;
    await as(rewards, guardian).pause();
    await as(rewards, guardian).revokeSigner(keys.score.address);
    await as(rewards, guardian).voidPoints(forged);
    await as(rewards, admin).scheduleSigner(keys.next.address, false);
    await waitForKey();
    await as(rewards, admin).promoteSigner();
    await as(rewards, admin).unpause();
    key = keys.next;
  }

  /** One day: the thieves try first, then the players bring what they have earned and are paid. */
  async function liveDay(players: readonly AnySigner[], thieves: readonly AnySigner[]): Promise<void> {
    const midnight = ((await nowSeconds(arcade)) / DAY_SECONDS + 1n) * DAY_SECONDS;
    await arcade.time.increaseTo(midnight);
    for (const thief of thieves) await pay(thief);
    await arcade.time.increaseTo(midnight + 12n * HOUR_SECONDS);
    for (const player of players) {
      const owed = (credited.get(player.address) ?? 0n) + EARNED;
      credited.set(player.address, (await credit(player.address, owed, key)) ? 0n : owed);
      await pay(player);
    }
  }

  it("leaves the thieves what was paid before the pause, and pays the players what they earn", async () => {
    const { rewards, connection, keys, player, other, thirdParty, time } = arcade;
    const thieves = (await connection.ethers.getSigners()).slice(8, 18);
    const [aged, fresh] = [thieves.slice(0, 5), thieves.slice(5)];
    const players = [player, other, thirdParty];
    [sequence, key] = [0n, keys.score];
    for (const wallet of [...players, ...thieves]) await mintIdentities(arcade, 1, wallet);
    for (const { address } of aged) await credit(address, LIMITS.maxScorePerSession, key);
    for (let day = 0; day < DAYS_BEFORE; day++) await liveDay(players, []);

    // One minute with the key: every thief, and a player as well, gets far more than any limit pays.
    const loot = 200n * LIMITS.maxScorePerSession;
    for (const { address } of [...thieves, player]) await credit(address, loot, keys.score);
    for (const thief of thieves) await pay(thief);
    const taken = await sumBalances(thieves);
    expect(taken).to.equal(BigInt(aged.length) * LIMITS.maxPayout);

    await time.increase(HOUR_SECONDS);
    // One fresh wallet is overlooked at first.
    const overlooked = fresh.at(-1)!;
    const found = [...thieves, player].filter((wallet) => wallet !== overlooked);
    await recover(
      found.map(({ address }) => ({ wallet: address, points: loot })),
      async () => {
        for (let day = 0; day < DAYS_PAUSED; day++) await liveDay(players, thieves);
      },
    );
    await pay(overlooked);
    await time.increase(12n * HOUR_SECONDS);
    await pay(overlooked);
    await as(rewards, arcade.guardian).voidPoints([{ wallet: overlooked.address, points: loot }]);

    for (let day = 0; day < DAYS_AFTER; day++) await liveDay(players, thieves);
    // An aged thief may still be paid the points of the honest session that aged it.
    const own = BigInt(aged.length) * LIMITS.maxScorePerSession * LIMITS.scoreToTokenRate;
    const total = await sumBalances(thieves);
    expect(total).to.be.at.most(taken + own);
    expect(taken).to.be.at.most(LIMITS.dailyCap);
    for (const wallet of players) {
      const earned = BigInt(DAYS_BEFORE + DAYS_PAUSED + DAYS_AFTER) * EARNED * LIMITS.scoreToTokenRate;
      const share = Number((1_000n * (await arcade.token.balanceOf(wallet))) / earned) / 10;
      expect(share, `percent paid of what ${wallet.address} earned`).to.be.within(95, 100);
    }
  });
});
