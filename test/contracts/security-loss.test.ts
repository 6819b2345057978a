import { expect } from "chai";
import { type Arcade, as, DAY_SECONDS, LIMITS, nowSeconds, TOKEN, useArcade } from "./helpers/arcade.ts";
import { expectIdentityMint } from "./helpers/identity.ts";
import { expectSnapshot } from "./helpers/snapshot.ts";

const SESSION = LIMITS.maxScorePerSession;

/** Every key of the service is stolen: score, identity, game NFT and operator key. The admin and guardian keys are not. */
async function steal(
  arcade: Arcade,
): Promise<{ readonly thieves: readonly string[]; readonly drain: () => Promise<bigint> }> {
  const { connection, rewards, operator, token } = arcade;
  const thieves = (await connection.ethers.getSigners()).slice(10, 16);
  for (const [index, thief] of thieves.entries()) {
    await expectIdentityMint(arcade, { to: thief.address }, { sender: thief });
    await expectSnapshot(arcade, { wallet: thief.address, score: SESSION - BigInt(index) });
  }
  const drain = async (): Promise<bigint> => {
    for (const { address } of thieves) {
      await as(rewards, operator)
        .payout(address)
        .catch((error: Error) => error);
    }
    const balances = await Promise.all(thieves.map(({ address }) => token.balanceOf(address)));
    return balances.reduce((sum, balance) => sum + balance, 0n);
  };
  return { thieves: thieves.map(({ address }) => address), drain };
}

describe("loss with every key of the service stolen", () => {
  describe("where the float is larger than a day's cap", () => {
    const arcade = useArcade();

    it("is nothing before the cooldown, then a day's cap at most until the guardian pauses", async () => {
      const { rewards, guardian, time } = arcade;
      const { thieves, drain } = await steal(arcade);
      expect(await drain()).to.equal(0n);
      await time.increase(DAY_SECONDS);
      const taken = await drain();
      expect(taken).to.be.greaterThan(LIMITS.dailyCap - SESSION * TOKEN);
      expect(taken).to.be.at.most(LIMITS.dailyCap);
      expect(await drain()).to.equal(taken);

      await as(rewards, guardian).pause();
      await time.increase(30n * DAY_SECONDS);
      expect(await drain()).to.equal(taken);
      for (const thief of thieves) expect((await rewards.readiness(thief)).ready).to.equal(false);
    });

    it("is two days' caps at most around midnight, from wallets whose cooldown is over", async () => {
      const { rewards, guardian, time } = arcade;
      const { drain } = await steal(arcade);
      // Every wallet and its identity is older than the cooldown; ten seconds are left of the day.
      const midnight = ((await nowSeconds(arcade)) / DAY_SECONDS + 3n) * DAY_SECONDS;
      await time.increaseTo(midnight - 10n);
      const first = await drain();
      expect(first).to.be.greaterThan(LIMITS.dailyCap - LIMITS.minScore * TOKEN);
      expect(first).to.be.at.most(LIMITS.dailyCap);
      await time.increaseTo(midnight);
      const taken = await drain();
      expect(taken).to.be.greaterThan(2n * (LIMITS.dailyCap - LIMITS.minScore * TOKEN));
      expect(taken).to.be.at.most(2n * LIMITS.dailyCap);
      expect((await nowSeconds(arcade)) - midnight).to.be.lessThan(60n);
      expect(await drain()).to.equal(taken);
      await as(rewards, guardian).pause();
      await time.increase(30n * DAY_SECONDS);
      expect(await drain()).to.equal(taken);
    });

    it("can be made nothing by the guardian without the admin, key by key", async () => {
      const { rewards, guardian, keys, time } = arcade;
      const { drain } = await steal(arcade);
      await as(rewards, guardian).revokeSigner(keys.score.address);
      await as(rewards, guardian).setCaps(0n, 0n);
      await time.increase(7n * DAY_SECONDS);
      expect(await drain()).to.equal(0n);
    });
  });

  describe("where the float is smaller", () => {
    const float = 15_000n * TOKEN;
    const arcade = useArcade({ float });

    it("is the float at most", async () => {
      const { drain } = await steal(arcade);
      for (let day = 0; day < 5; day += 1) {
        await arcade.time.increase(DAY_SECONDS);
        expect(await drain()).to.be.at.most(float);
      }
    });
  });
});
