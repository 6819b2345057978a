import { expect } from "chai";
import { readSelectedEvents } from "../../scripts/verify/read-events.ts";
import { ALICE, BOB } from "../adapters/store/rows.ts";

const SELECTION = { rewards: BOB, agentId: 1n, wallet: null, fromBlock: 0n, toBlock: null };

/** A chain on which BOB got the identity of ALICE in block 10, and on which both have a score in each block. */
const client = {
  getCode: async () => "0x01",
  getChainId: async () => 31337,
  getBlockNumber: async () => 12n,
  readContract: async () => BOB,
  getLogs: async () => [
    { args: { to: ALICE }, blockNumber: 5n },
    { args: { to: BOB }, blockNumber: 10n },
  ],
  getContractEvents: async ({ args: { wallet } }: { args: { wallet: string } }) =>
    [4n, 5n, 9n, 10n, 11n].map((blockNumber) => ({
      address: BOB,
      blockNumber,
      transactionHash: "0x",
      logIndex: 0,
      args: { wallet, gameId: "0x", gameSessionHash: "0x", score: 1n, scorebank: 1n },
    })),
};

describe("the scores of an identity", () => {
  it("are those of its holders, each from the block of receipt until the block of transfer", async () => {
    const events = await readSelectedEvents(client as never, SELECTION as never);
    const held = (holder: string) => events.filter(({ wallet }) => wallet === holder).map(({ block }) => block);
    expect(held(ALICE)).to.deep.equal([5, 9, 10]);
    expect(held(BOB)).to.deep.equal([10, 11]);
  });
});
