import { expect } from "chai";
import { MaxUint256, ZeroAddress, ZeroHash } from "ethers";
import { type Arcade, as, GAME_ID, LIMITS, nowSeconds, useArcade } from "./helpers/arcade.ts";
import { expectEvent, expectRevert } from "./helpers/expect.ts";
import { signMessage, soon } from "./helpers/sign.ts";
import { expectSnapshot, hashOf, makeSnapshot, sendSnapshot } from "./helpers/snapshot.ts";

/** The highest score that a signature may name. */
const MOST = 2n ** 40n - 1n;

describe("RewardsV2: snapshot", () => {
  const arcade = useArcade();

  it("adds ended sessions to the wallet's scorebank, also when another account sends them", async () => {
    await expectSnapshot(arcade);
    await expectSnapshot(
      arcade,
      { sequence: 2n, score: 1n },
      {
        sender: arcade.thirdParty,
      },
    );
    await expectSnapshot(arcade, { sequence: 3n, score: LIMITS.maxScorePerSession });
    expect(await arcade.rewards.getScorebank(arcade.thirdParty)).to.equal(0n);
  });

  it("consumes the sequence: neither the same session nor another hash of it counts again", async () => {
    const { rewards, player } = arcade;
    const first = await makeSnapshot(arcade, { sequence: 5n });
    await expectSnapshot(arcade, first);
    for (const gameSessionHash of [first.gameSessionHash, hashOf(5n, "other facts")]) {
      const again = sendSnapshot(arcade, { ...first, score: 1n, gameSessionHash });
      await expectRevert(again, "SessionAlreadyConsumed", player.address, gameSessionHash);
    }
    expect(await rewards.getScorebank(player)).to.equal(first.score);
  });

  it("keeps sequences apart across word borders, and wallets apart", async () => {
    for (const sequence of [0n, 1n, 255n, 256n, 257n, 511n, 2n ** 63n, 2n ** 64n - 1n]) {
      await expectSnapshot(arcade, { sequence, score: 1n });
    }
    await expectSnapshot(arcade, { sequence: 0n, wallet: arcade.other.address });
    expect(await arcade.rewards.isSessionConsumed(arcade.player, hashOf(2n))).to.equal(false);
  });

  it("credits a score up to the bound of one session, and takes out what is above", async () => {
    const { rewards, player } = arcade;
    const bound = LIMITS.maxScorePerSession;
    const [hash, gameId] = [hashOf(3n), GAME_ID];
    for (const [sequence, score] of [bound - 1n, bound].entries()) {
      await expectSnapshot(arcade, { sequence: BigInt(sequence), score });
    }
    const bank = 2n * bound - 1n;
    const sent = sendSnapshot(arcade, { sequence: 3n, score: MOST });
    await expectEvent(sent, rewards, "ScoreSnapshot", player.address, gameId, hash, MOST, bank + MOST);
    await expectEvent(sent, rewards, "PointsVoided", player.address, MOST - bound, bank + bound, ZeroAddress);
    expect(await rewards.getScorebank(player)).to.equal(bank + bound);
    await sendSnapshot(arcade, { sequence: 4n, score: bound + 1n });
    expect(await rewards.getScorebank(player)).to.equal(bank + 2n * bound);
    const atBound = await (await sendSnapshot(arcade, { sequence: 5n, score: bound })).wait();
    expect(atBound!.logs, "a score at the bound voids nothing").to.have.length(1);
    // Nobody restores what is above the bound.
    expect(await rewards.voidedPoints(player)).to.equal(0n);
  });

  it("refuses scores of zero and of more than 40 bits", async () => {
    for (const score of [0n, MOST + 1n, MaxUint256]) {
      await expectRevert(sendSnapshot(arcade, { score }), "ScoreOutOfRange", score, MOST);
    }
  });

  describe("batch", () => {
    const sendBatch = async (arcade: Arcade, items: { gameSessionHash: string; gameId: string; score: bigint }[]) => {
      const message = { wallet: arcade.player.address, items, deadline: await soon(arcade) };
      const signature = await signMessage(arcade, arcade.keys.score, "SnapshotBatch", message);
      return as(arcade.rewards, arcade.thirdParty).snapshotScoresSigned(
        message.wallet,
        items,
        message.deadline,
        signature,
      );
    };
    const itemOf = (sequence: bigint, score = 10n * sequence) => ({
      gameSessionHash: hashOf(sequence),
      gameId: GAME_ID,
      score,
    });

    it("does what one call for each item would do", async () => {
      const { rewards, player } = arcade;
      const items = [itemOf(1n), itemOf(2n), itemOf(300n)];
      const sent = await sendBatch(arcade, items);
      let bank = 0n;
      for (const { gameSessionHash, gameId, score } of items) {
        bank += score;
        await expectEvent(sent, rewards, "ScoreSnapshot", player.address, gameId, gameSessionHash, score, bank);
        expect(await rewards.isSessionConsumed(player, gameSessionHash)).to.equal(true);
      }
      const now = await nowSeconds(arcade);
      expect((await rewards.accountOf(player)).toArray()).to.deep.equal([bank, now, 0n, now, 3n]);
      await expectSnapshot(arcade, { sequence: 3n });
    });

    it("credits an item above the bound up to it, and those beside it in full", async () => {
      const bound = LIMITS.maxScorePerSession;
      await sendBatch(arcade, [itemOf(1n), itemOf(2n, bound + 5n), itemOf(3n, bound), itemOf(4n)]);
      expect(await arcade.rewards.getScorebank(arcade.player)).to.equal(10n + bound + bound + 40n);
    });

    it("crosses the words of the bitmap in any order", async () => {
      const { rewards, player } = arcade;
      const sequences = [255n, 256n, 0n, 511n, 1n, 2n ** 64n - 1n, 257n];
      await sendBatch(
        arcade,
        sequences.map((sequence) => itemOf(sequence, 1n)),
      );
      expect(await rewards.getScorebank(player)).to.equal(7n);
      for (const sequence of sequences) {
        expect(await rewards.isSessionConsumed(player, hashOf(sequence)), `${sequence}`).to.equal(true);
        const again = [itemOf(700n, 1n), itemOf(sequence, 1n)];
        await expectRevert(sendBatch(arcade, again), "SessionAlreadyConsumed");
      }
      for (const sequence of [2n, 254n, 258n, 510n, 512n, 700n, 2n ** 64n - 2n]) {
        expect(await rewards.isSessionConsumed(player, hashOf(sequence)), `${sequence}`).to.equal(false);
      }
      for (const twice of [
        [itemOf(300n, 1n), itemOf(600n, 1n), itemOf(300n, 2n)],
        [itemOf(300n, 1n), itemOf(300n, 1n)],
      ]) {
        await expectRevert(sendBatch(arcade, twice), "SessionAlreadyConsumed");
      }
    });

    it("is refused whole when one item is", async () => {
      const { rewards, player } = arcade;
      await expectSnapshot(arcade, { sequence: 2n });
      const sent = sendBatch(arcade, [itemOf(1n), itemOf(2n)]);
      await expectRevert(sent, "SessionAlreadyConsumed", player.address, hashOf(2n));
      await expectRevert(sendBatch(arcade, [itemOf(3n), itemOf(3n)]), "SessionAlreadyConsumed");
      await expectRevert(sendBatch(arcade, [itemOf(4n), itemOf(5n, 0n)]), "ScoreOutOfRange");
      expect(await rewards.isSessionConsumed(player, hashOf(4n))).to.equal(false);
      await expectRevert(sendBatch(arcade, []), "EmptyBatch");
    });

    it("refuses items that were changed, left out, repeated or put in another order", async () => {
      const { rewards, player, keys } = arcade;
      const items = [itemOf(1n), itemOf(2n)];
      const deadline = await soon(arcade);
      const signature = await signMessage(arcade, keys.score, "SnapshotBatch", {
        wallet: player.address,
        items,
        deadline,
      });
      const [first, second] = items;
      for (const changed of [
        [second, first],
        [first],
        [first, second, itemOf(3n)],
        [first, { ...second!, score: 21n }],
        [first, { ...second!, gameId: ZeroHash }],
      ]) {
        const batch = rewards.snapshotScoresSigned(player.address, changed, deadline, signature);
        await expectRevert(batch, "InvalidSignature");
      }
    });
  });

  describe("cancel a session", () => {
    const sessionOf = ({ wallet, gameSessionHash }: Awaited<ReturnType<typeof makeSnapshot>>) => ({
      wallet,
      gameSessionHash,
    });

    it("lets the guardian void a score that was signed", async () => {
      const { rewards, guardian, admin, player, thirdParty } = arcade;
      const [snapshot, next] = [await makeSnapshot(arcade), await makeSnapshot(arcade, { sequence: 2n })];
      const foreign = as(rewards, thirdParty).cancelSessions([sessionOf(snapshot)]);
      await expectRevert(foreign, "NotGuardian", thirdParty.address);
      await expectEvent(
        as(rewards, guardian).cancelSessions([sessionOf(next), sessionOf(snapshot)]),
        rewards,
        "SessionCancelled",
        player.address,
        snapshot.gameSessionHash,
        guardian.address,
      );
      await expectRevert(sendSnapshot(arcade, snapshot), "SessionAlreadyConsumed");
      await expectRevert(as(rewards, admin).cancelSessions([sessionOf(snapshot)]), "SessionAlreadyConsumed");
      await expectRevert(sendSnapshot(arcade, next), "SessionAlreadyConsumed");
      expect(await rewards.getScorebank(player)).to.equal(0n);
    });

    it("is undone by the admin, and only where the session was cancelled", async () => {
      const { rewards, guardian, admin, player } = arcade;
      const [cancelled, credited] = [await makeSnapshot(arcade), await makeSnapshot(arcade, { sequence: 2n })];
      const { gameSessionHash } = cancelled;
      await as(rewards, guardian).cancelSessions([{ wallet: player, gameSessionHash }]);
      await expectSnapshot(arcade, credited);
      const byGuardian = as(rewards, guardian).restoreSessions([{ wallet: player, gameSessionHash }]);
      await expectRevert(byGuardian, "AccessControlUnauthorizedAccount");
      // A credited session stays consumed: it would count twice.
      for (const hash of [credited.gameSessionHash, hashOf(3n)]) {
        const refused = as(rewards, admin).restoreSessions([
          { wallet: player, gameSessionHash },
          { wallet: player, gameSessionHash: hash },
        ]);
        await expectRevert(refused, "SessionNotCancelled", player.address, hash);
      }
      const restored = as(rewards, admin).restoreSessions([{ wallet: player, gameSessionHash }]);
      await expectEvent(restored, rewards, "SessionRestored", player.address, gameSessionHash, admin.address);
      await expectSnapshot(arcade, cancelled);
      await expectRevert(
        as(rewards, admin).restoreSessions([{ wallet: player, gameSessionHash }]),
        "SessionNotCancelled",
      );
      expect(await rewards.isSessionConsumed(player, credited.gameSessionHash)).to.equal(true);
    });
  });
});
