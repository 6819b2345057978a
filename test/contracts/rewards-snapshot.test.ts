import { expect } from "chai";
import { MaxUint256, ZeroHash } from "ethers";
import { type Arcade, as, GAME_ID, keyOf, LIMITS, nowSeconds, useArcade } from "./helpers/arcade.ts";
import { signMessage, soon } from "./helpers/sign.ts";
import { expectSnapshot, hashOf, makeSnapshot, sendSnapshot } from "./helpers/snapshot.ts";

describe("RewardsV2: snapshot", () => {
  const arcadeOf = useArcade();

  it("adds ended sessions to the wallet's scorebank, also when another account sends them", async () => {
    const arcade = arcadeOf();
    await expectSnapshot(arcade, await makeSnapshot(arcade));
    await expectSnapshot(arcade, await makeSnapshot(arcade, { sequence: 2n, score: 1n }), {
      sender: arcade.thirdParty,
    });
    await expectSnapshot(arcade, await makeSnapshot(arcade, { sequence: 3n, score: LIMITS.maxScorePerSession }));
    expect(await arcade.rewards.getScorebank(arcade.thirdParty)).to.equal(0n);
  });

  it("consumes the sequence: neither the same session nor another hash of it counts again", async () => {
    const arcade = arcadeOf();
    const { rewards, player } = arcade;
    const first = await makeSnapshot(arcade, { sequence: 5n });
    await expectSnapshot(arcade, first);
    for (const gameSessionHash of [first.gameSessionHash, hashOf(5n, "other facts")]) {
      await expect(sendSnapshot(arcade, { ...first, score: 1n, gameSessionHash }))
        .to.be.revertedWithCustomError(rewards, "SessionAlreadyConsumed")
        .withArgs(player.address, gameSessionHash);
    }
    expect(await rewards.getScorebank(player)).to.equal(first.score);
  });

  it("keeps sequences apart across word borders, and wallets apart", async () => {
    const arcade = arcadeOf();
    for (const sequence of [0n, 1n, 255n, 256n, 257n, 511n, 2n ** 63n, 2n ** 64n - 1n]) {
      await expectSnapshot(arcade, await makeSnapshot(arcade, { sequence, score: 1n }));
    }
    await expectSnapshot(arcade, await makeSnapshot(arcade, { sequence: 0n, wallet: arcade.other.address }));
    expect(await arcade.rewards.isSessionConsumed(arcade.player, hashOf(2n))).to.equal(false);
  });

  it("refuses scores outside the bound of one session", async () => {
    const arcade = arcadeOf();
    for (const score of [0n, LIMITS.maxScorePerSession + 1n, MaxUint256]) {
      await expect(sendSnapshot(arcade, await makeSnapshot(arcade, { score })))
        .to.be.revertedWithCustomError(arcade.rewards, "ScoreOutOfRange")
        .withArgs(score, LIMITS.maxScorePerSession);
    }
  });

  it("refuses foreign keys, and times outside their bounds", async () => {
    const arcade = arcadeOf();
    const { rewards } = arcade;
    await expect(sendSnapshot(arcade, await makeSnapshot(arcade), { key: keyOf("thief") }))
      .to.be.revertedWithCustomError(rewards, "InvalidSignature")
      .withArgs(keyOf("thief").address);
    const now = await nowSeconds(arcade);
    await expect(
      sendSnapshot(arcade, await makeSnapshot(arcade, { deadline: now - 1n })),
    ).to.be.revertedWithCustomError(rewards, "DeadlineExpired");
    await expect(
      sendSnapshot(arcade, await makeSnapshot(arcade, { deadline: now + 90_000n })),
    ).to.be.revertedWithCustomError(rewards, "DeadlineTooFar");
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
      const arcade = arcadeOf();
      const { rewards, player } = arcade;
      const items = [itemOf(1n), itemOf(2n), itemOf(300n)];
      const sent = await sendBatch(arcade, items);
      let bank = 0n;
      for (const { gameSessionHash, gameId, score } of items) {
        bank += score;
        await expect(sent)
          .to.emit(rewards, "ScoreSnapshot")
          .withArgs(player.address, gameId, gameSessionHash, score, bank);
        expect(await rewards.isSessionConsumed(player, gameSessionHash)).to.equal(true);
      }
      const now = await nowSeconds(arcade);
      expect((await rewards.accountOf(player)).toArray()).to.deep.equal([bank, now, 0n, now, 3n]);
      await expectSnapshot(arcade, await makeSnapshot(arcade, { sequence: 3n }));
    });

    it("crosses the words of the bitmap in any order", async () => {
      const arcade = arcadeOf();
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
        await expect(sendBatch(arcade, again)).to.be.revertedWithCustomError(rewards, "SessionAlreadyConsumed");
      }
      for (const sequence of [2n, 254n, 258n, 510n, 512n, 700n, 2n ** 64n - 2n]) {
        expect(await rewards.isSessionConsumed(player, hashOf(sequence)), `${sequence}`).to.equal(false);
      }
      for (const twice of [
        [itemOf(300n, 1n), itemOf(600n, 1n), itemOf(300n, 2n)],
        [itemOf(300n, 1n), itemOf(300n, 1n)],
      ]) {
        await expect(sendBatch(arcade, twice)).to.be.revertedWithCustomError(rewards, "SessionAlreadyConsumed");
      }
    });

    it("is refused whole when one item is", async () => {
      const arcade = arcadeOf();
      const { rewards, player } = arcade;
      await expectSnapshot(arcade, await makeSnapshot(arcade, { sequence: 2n }));
      await expect(sendBatch(arcade, [itemOf(1n), itemOf(2n)]))
        .to.be.revertedWithCustomError(rewards, "SessionAlreadyConsumed")
        .withArgs(player.address, hashOf(2n));
      await expect(sendBatch(arcade, [itemOf(3n), itemOf(3n)])).to.be.revertedWithCustomError(
        rewards,
        "SessionAlreadyConsumed",
      );
      await expect(sendBatch(arcade, [itemOf(4n), itemOf(5n, 0n)])).to.be.revertedWithCustomError(
        rewards,
        "ScoreOutOfRange",
      );
      expect(await rewards.isSessionConsumed(player, hashOf(4n))).to.equal(false);
      await expect(sendBatch(arcade, [])).to.be.revertedWithCustomError(rewards, "EmptyBatch");
    });

    it("refuses items that were changed, left out, repeated or put in another order", async () => {
      const arcade = arcadeOf();
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
        await expect(
          rewards.snapshotScoresSigned(player.address, changed, deadline, signature),
        ).to.be.revertedWithCustomError(rewards, "InvalidSignature");
      }
    });
  });

  describe("cancel a session", () => {
    it("lets the guardian void a score that was signed", async () => {
      const arcade = arcadeOf();
      const { rewards, guardian, admin, player, thirdParty } = arcade;
      const snapshot = await makeSnapshot(arcade);
      await expect(as(rewards, thirdParty).cancelSession(player, snapshot.gameSessionHash))
        .to.be.revertedWithCustomError(rewards, "NotGuardian")
        .withArgs(thirdParty.address);
      await expect(as(rewards, guardian).cancelSession(player, snapshot.gameSessionHash))
        .to.emit(rewards, "SessionCancelled")
        .withArgs(player.address, snapshot.gameSessionHash, guardian.address);
      await expect(sendSnapshot(arcade, snapshot)).to.be.revertedWithCustomError(rewards, "SessionAlreadyConsumed");
      await expect(as(rewards, admin).cancelSession(player, snapshot.gameSessionHash)).to.be.revertedWithCustomError(
        rewards,
        "SessionAlreadyConsumed",
      );
      expect(await rewards.getScorebank(player)).to.equal(0n);
    });

    it("is undone by the admin, and only where the session was cancelled", async () => {
      const arcade = arcadeOf();
      const { rewards, guardian, admin, player } = arcade;
      const [cancelled, credited] = [await makeSnapshot(arcade), await makeSnapshot(arcade, { sequence: 2n })];
      const { gameSessionHash } = cancelled;
      await as(rewards, guardian).cancelSession(player, gameSessionHash);
      await expectSnapshot(arcade, credited);
      await expect(as(rewards, guardian).restoreSession(player, gameSessionHash)).to.be.revertedWithCustomError(
        rewards,
        "AccessControlUnauthorizedAccount",
      );
      // A credited session stays consumed: it would count twice.
      for (const hash of [credited.gameSessionHash, hashOf(3n)]) {
        await expect(as(rewards, admin).restoreSession(player, hash))
          .to.be.revertedWithCustomError(rewards, "SessionNotCancelled")
          .withArgs(player.address, hash);
      }
      await expect(as(rewards, admin).restoreSession(player, gameSessionHash))
        .to.emit(rewards, "SessionRestored")
        .withArgs(player.address, gameSessionHash, admin.address);
      await expectSnapshot(arcade, cancelled);
      await expect(as(rewards, admin).restoreSession(player, gameSessionHash)).to.be.revertedWithCustomError(
        rewards,
        "SessionNotCancelled",
      );
      expect(await rewards.isSessionConsumed(player, credited.gameSessionHash)).to.equal(true);
    });
  });
});
