import { expect } from "chai";
import { Players } from "../../backend/http/pipeline/players.ts";
import { TestClock } from "../helpers/test-clock.ts";

const toWallet = (number: number): `0x${string}` => `0x${String(number).padStart(40, "0")}`;

describe("the wallets that count as players", () => {
  const open = (findAgentId: (wallet: string) => Promise<bigint | null> = async () => 1n) => {
    const read: string[] = [];
    const clock = new TestClock();
    const identity = {
      findAgentId: (wallet: string) => {
        read.push(wallet);
        return findAgentId(wallet);
      },
    };
    return { players: new Players(identity as never, clock), clock, read };
  };

  it("hold an identity, which is read again after a minute", async () => {
    const { players, clock, read } = open();
    for (const [delayMs, count] of [
      [0, 1],
      [59_999, 1],
      [1, 2],
      [59_999, 2],
    ] as const) {
      clock.advance(delayMs);
      expect(await players.has(toWallet(1))).to.equal(true);
      expect(read).to.have.length(count);
    }
  });

  it("are none without an identity, or while identities cannot be read, and are read each time", async () => {
    for (const find of [async () => null, () => Promise.reject(new Error("no node"))]) {
      const { players, read } = open(find);
      for (const count of [1, 2]) {
        expect(await players.has(toWallet(1))).to.equal(false);
        expect(read).to.have.length(count);
      }
    }
  });

  it("are remembered up to 10 000, without the one that was read first", async () => {
    const { players, read } = open();
    for (let number = 0; number < 10_000; number++) await players.has(toWallet(number));
    await players.has(toWallet(0));
    expect(read).to.have.length(10_000);
    for (const number of [10_000, 1, 10_000]) await players.has(toWallet(number));
    expect(read).to.have.length(10_001);
    await players.has(toWallet(0));
    expect(read.at(-1)).to.equal(toWallet(0));
    expect(read).to.have.length(10_002);
  });
});
