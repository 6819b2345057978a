import { expect } from "chai";
import type {
  FoundTransaction,
  UsedNonce,
} from "../../../backend/adapters/chain/transaction-manager/operator-wallet.ts";
import { findCallByNonce } from "../../../backend/adapters/chain/transaction-manager/used-nonce.ts";
import { createTransactionRow } from "../store/rows.ts";

const HEAD = 9;
const OTHER = `0x${"0b".repeat(32)}` as const;
const row = createTransactionRow(1);
const own: UsedNonce = { txHash: row.txHash, block: 7, to: row.to, data: row.data, value: row.value };

/** What a node knows of the transaction that used the row's nonce. */
function find(used: UsedNonce | null, inBlock: FoundTransaction | undefined, byHash: FoundTransaction = null) {
  const wallet = {
    findByNonce: async () => used,
    locateInBlocks: async () =>
      inBlock === undefined ? null : new Map(inBlock === null ? [] : [[used!.txHash, inBlock]]),
    locate: async () => [byHash],
  };
  return findCallByNonce(wallet as never, row, HEAD);
}

describe("the call that used a nonce", () => {
  it("is another one if it differs in recipient, data or value", async () => {
    const other = { version: null, at: null };
    expect(await find(null, { block: 7, ok: true })).to.deep.equal(other);
    for (const change of [{ to: null }, { to: OTHER.slice(0, 42) }, { data: "0xff" }, { value: row.value + 1n }])
      expect(await find({ ...own, ...change } as UsedNonce, { block: 7, ok: true })).to.deep.equal(other);
  });

  it("has the result of its receipt, in the block or by its hash", async () => {
    for (const ok of [true, false]) {
      const expected = { version: null, at: { block: 7, ok } };
      expect(await find(own, { block: 7, ok })).to.deep.equal(expected);
      for (const inBlock of [undefined, null])
        expect(await find(own, inBlock, { block: 7, ok })).to.deep.equal(expected);
    }
  });

  it("has no result while the node lacks the receipt", async () => {
    const unknown = { version: null, at: "unknown" };
    expect(await find(own, { block: 7, ok: null })).to.deep.equal(unknown);
    for (const byHash of [null, "known", { block: 7, ok: null }] as const)
      expect(await find(own, undefined, byHash)).to.deep.equal(unknown);
  });

  it("is a version of the row under another hash if its fees were raised", async () => {
    const { version, at } = await find({ ...own, txHash: OTHER }, { block: 7, ok: true });
    expect(at).to.deep.equal({ block: 7, ok: true });
    expect(version).to.include({ txHash: OTHER, raw: row.raw });
  });
});
