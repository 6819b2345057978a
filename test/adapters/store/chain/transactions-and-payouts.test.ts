import { expect } from "chai";
import type { Hex } from "viem";
import { ALICE, BASE_TIME_MS, BOB, createPayoutRow, createTransactionRow, hashText } from "../rows.ts";
import { describeStore, getRejection } from "../suite.ts";

describeStore("signing store", (store, { runConcurrently }) => {
  const facts = { kind: "snapshot", key: "session", payloadHash: hashText("facts"), atMs: BASE_TIME_MS };

  it("records facts, and accepts the same facts again", async () => {
    const results = await runConcurrently((store, index) =>
      store.signings.record({ ...facts, atMs: BASE_TIME_MS + index }),
    );
    expect(new Set(results)).to.deep.equal(new Set(["recorded"]));
  });

  it("records one of 50 different facts under one key", async () => {
    const results = await runConcurrently((store, index) =>
      store.signings.record({ ...facts, payloadHash: hashText(`${index}`) }),
    );
    expect(results.filter((response) => response === "recorded")).to.have.length(1);
    const winner = hashText(`${results.indexOf("recorded")}`);
    expect(await store.signings.record({ ...facts, payloadHash: winner })).to.equal("recorded");
  });

  it("answers facts that are recorded at once as one after the other", async () => {
    const { signings } = store;
    await signings.record({ ...facts, key: "stored" });
    const asked = [
      ["new", "a"],
      ["new", "b"],
      ["stored", "a"],
      ["other", "a"],
      ["new", "a"],
    ].map(([key, text]) => signings.record({ ...facts, key: key!, payloadHash: hashText(text!) }));
    const recorded = ["recorded", "conflict", "conflict", "recorded", "recorded"];
    expect(await Promise.all(asked)).to.deep.equal(recorded);
    expect(await signings.record({ ...facts, key: "new", payloadHash: hashText("a") })).to.equal("recorded");
  });

  it("records facts beside others that cannot be recorded", async () => {
    const { signings } = store;
    const record = (key: string, payloadHash: Hex | null) =>
      signings.record({ ...facts, key, payloadHash: payloadHash as Hex });
    const settled = await Promise.allSettled([record("a", "0x01"), record("b", null), record("c", "0x01")]);
    expect(settled.map(({ status }) => status)).to.deep.equal(["fulfilled", "rejected", "fulfilled"]);
    expect(await record("b", "0x02")).to.equal("recorded");
    expect(await record("c", "0x02")).to.equal("conflict");
  });

  it("keeps equal keys of different kinds apart", async () => {
    const { signings } = store;
    await signings.record(facts);
    expect(await signings.record({ ...facts, kind: "mint", payloadHash: hashText("other") })).to.equal("recorded");
    expect(await signings.record({ ...facts, payloadHash: hashText("other") })).to.equal("conflict");
  });
});

describeStore("payout store", (store, { runConcurrently }) => {
  it("opens one payout for 50 calls of a wallet and returns it to all", async () => {
    const results = await runConcurrently((store) => store.payouts.open(createPayoutRow()));
    expect(results.filter((response) => response.opened)).to.have.length(1);
    expect(new Set(results.map((response) => response.payout.payoutId)).size).to.equal(1);
    expect(await store.payouts.findOpen(ALICE)).to.deep.equal(results[0]?.payout);
    expect((await store.payouts.open(createPayoutRow({ wallet: BOB }))).opened).to.equal(true);
  });

  it("keeps amounts beyond 2^53 exactly", async () => {
    const { payouts } = store;
    const row = createPayoutRow({ amount: 2n ** 256n - 1n, score: 2n ** 53n + 1n });
    await payouts.open(row);
    expect(await payouts.find(row.payoutId)).to.deep.equal(row);
    expect(await payouts.find("unknown")).to.equal(null);
  });

  it("stays open until included or failed", async () => {
    const { payouts } = store;
    for (const closing of ["included", "failed"] as const) {
      const row = createPayoutRow();
      expect((await payouts.open(row)).opened).to.equal(true);
      const sent = { status: "sent", transactionId: "tx", txHash: hashText("tx"), amount: 1n } as const;
      expect(await payouts.advance(row.payoutId, "pending", sent)).to.equal(true);
      expect((await payouts.open(createPayoutRow())).opened).to.equal(false);
      expect(await payouts.listOpen()).to.deep.equal([{ ...row, ...sent }]);
      expect(await payouts.advance(row.payoutId, "sent", { status: closing })).to.equal(true);
      expect(await payouts.findOpen(ALICE)).to.equal(null);
      expect(await payouts.listOpen()).to.deep.equal([]);
    }
  });

  it("moves a payout forward once for 50 callers that expect the same status", async () => {
    const row = createPayoutRow();
    await store.payouts.open(row);
    const results = await runConcurrently((store, index) =>
      store.payouts.advance(row.payoutId, "pending", { status: "sent", txHash: hashText(`${index}`) }),
    );
    expect(results.filter(Boolean)).to.have.length(1);
    const stored = await store.payouts.find(row.payoutId);
    expect(stored?.txHash).to.equal(hashText(`${results.indexOf(true)}`));
  });

  it("does not move a payout backward, nor one that is settled", async () => {
    const { payouts } = store;
    const row = createPayoutRow();
    await payouts.open(row);
    expect(await payouts.advance(row.payoutId, "pending", { status: "included" })).to.equal(true);
    expect(await payouts.advance(row.payoutId, "pending", { status: "sent" })).to.equal(false);
    expect(() => payouts.advance(row.payoutId, "included", { status: "sent" })).to.throw(/included to sent/);
    expect(await payouts.advance(row.payoutId, "included", { settledAtMs: BASE_TIME_MS })).to.equal(true);
    expect(await payouts.advance(row.payoutId, "included", { txHash: hashText("x") })).to.equal(false);
    expect(await payouts.reopen(row.payoutId, "included", BASE_TIME_MS)).to.equal(false);
    expect((await payouts.find(row.payoutId))?.status).to.equal("included");
  });

  it("opens a payout again that a reorganization has undone, also beside the wallet's next one", async () => {
    const { payouts } = store;
    const first = createPayoutRow();
    await payouts.open(first);
    await payouts.advance(first.payoutId, "pending", { status: "included" });
    const second = createPayoutRow({ createdAtMs: BASE_TIME_MS + 1 });
    expect((await payouts.open(second)).opened).to.equal(true);
    expect(await payouts.reopen(first.payoutId, "included", BASE_TIME_MS + 2)).to.equal(true);
    expect((await payouts.listOpen()).map(({ payoutId }) => payoutId)).to.deep.equal([first.payoutId, second.payoutId]);
    const third = await payouts.open(createPayoutRow({ createdAtMs: BASE_TIME_MS + 3 }));
    expect(third).to.deep.include({ opened: false });
    expect(third.payout).to.include({ payoutId: first.payoutId, status: "sent", reopenedAtMs: BASE_TIME_MS + 2 });
  });

  it("lists the payouts that differ from their transactions", async () => {
    const { payouts, transactions } = store;
    const listIds = async () => (await payouts.listUnsynced()).map(({ payoutId }) => payoutId);
    const row = createPayoutRow();
    await payouts.open(row);
    expect(await listIds()).to.deep.equal([row.payoutId]);
    const transaction = createTransactionRow(1, { status: "sent" });
    await transactions.add(transaction);
    const sent = { status: "sent", transactionId: transaction.id, txHash: transaction.txHash } as const;
    await payouts.advance(row.payoutId, "pending", sent);
    expect(await listIds()).to.deep.equal([]);
    await transactions.update(transaction.id, { status: "queued" });
    expect(await listIds()).to.deep.equal([]);
    await transactions.update(transaction.id, { status: "included", block: 5 });
    expect(await listIds()).to.deep.equal([row.payoutId]);
    await payouts.advance(row.payoutId, "sent", { status: "included" });
    expect(await listIds()).to.deep.equal([]);
    await transactions.update(transaction.id, { settledAtMs: BASE_TIME_MS });
    expect(await listIds()).to.deep.equal([row.payoutId]);
    await payouts.advance(row.payoutId, "included", { settledAtMs: BASE_TIME_MS });
    expect(await listIds()).to.deep.equal([]);
  });

  it("rejects a new payout that is not open", async () => {
    const { payouts } = store;
    expect(await payouts.advance("unknown", "pending", { status: "sent" })).to.equal(false);
    const closed = createPayoutRow({ status: "failed" });
    expect((await getRejection(payouts.open(closed))).message).to.match(/must be open/);
    expect(await payouts.find(closed.payoutId)).to.equal(null);
  });
});

describeStore("transaction store", (store, { runConcurrently }) => {
  it("a transaction is found by id and by key", async () => {
    const { transactions } = store;
    const row = createTransactionRow(4, { value: 2n ** 200n });
    await transactions.add(row);
    expect(await transactions.find(row.id)).to.deep.equal(row);
    expect(await transactions.findByKey(row.kind, row.key)).to.deep.equal(row);
    expect(await transactions.find("unknown")).to.equal(null);
    expect(await transactions.findByKey("other", row.key)).to.equal(null);
  });

  it("stores a nonce once for 50 callers", async () => {
    const results = await runConcurrently((store) =>
      store.transactions.add(createTransactionRow(7)).then(
        () => true,
        () => false,
      ),
    );
    expect(results.filter(Boolean)).to.have.length(1);
    expect(await store.transactions.getLastNonce(ALICE)).to.equal(7);
  });

  it("counts the nonces of each operator, so that its key can be changed", async () => {
    const { transactions } = store;
    await transactions.add(createTransactionRow(7));
    await transactions.add(createTransactionRow(7, { from: BOB }));
    expect(await transactions.getLastNonce(BOB)).to.equal(7);
    expect((await transactions.listUnsettled(BOB)).map((row) => row.from)).to.deep.equal([BOB]);
  });

  it("stores a key once for 50 callers", async () => {
    const results = await runConcurrently((store, nonce) =>
      store.transactions.add(createTransactionRow(nonce, { key: "payout of Alice" })).then(
        () => true,
        () => false,
      ),
    );
    expect(results.filter(Boolean)).to.have.length(1);
    expect(await store.transactions.listUnsettled(ALICE)).to.have.length(1);
  });

  it("lists the transactions that are not settled in nonce order", async () => {
    const { transactions } = store;
    expect(await transactions.getLastNonce(ALICE)).to.equal(null);
    const rows = [10, 9, 11, 2].map((nonce) => createTransactionRow(nonce));
    for (const row of rows) await transactions.add(row);
    await transactions.update(rows[1]!.id, { status: "included", block: 5, settledAtMs: BASE_TIME_MS });
    await transactions.update(rows[2]!.id, {
      status: "sent",
      sentAtMs: BASE_TIME_MS + 1,
      raw: "0x03",
      maxFeePerGas: 99n,
    });
    expect((await transactions.listUnsettled(ALICE)).map((row) => row.nonce)).to.deep.equal([2, 10, 11]);
    expect(await transactions.getLastNonce(ALICE)).to.equal(11);
    expect(await transactions.find(rows[2]!.id)).to.deep.equal({
      ...rows[2],
      status: "sent",
      sentAtMs: BASE_TIME_MS + 1,
      raw: "0x03",
      maxFeePerGas: 99n,
    });
    expect((await getRejection(transactions.update("unknown", { block: 1 }))).message).to.match(
      /no transaction unknown/,
    );
  });

  it("stores many rows, or none where a nonce or a key is taken", async () => {
    const { transactions } = store;
    await transactions.addMany([1, 2, 3].map((nonce) => createTransactionRow(nonce)));
    const error = await getRejection(transactions.addMany([4, 3].map((nonce) => createTransactionRow(nonce))));
    expect(error.message).to.match(/unique/i);
    expect((await transactions.listUnsettled(ALICE)).map(({ nonce }) => nonce)).to.deep.equal([1, 2, 3]);
  });

  it("replaces the signed bytes of a transaction once for 50 callers that have read the same ones", async () => {
    const { transactions } = store;
    const row = createTransactionRow(1);
    await transactions.add(row);
    const changes = Array.from({ length: 50 }, (_, index) => ({ raw: hashText(`raw ${index}`), nonce: 2 + index }));
    const results = await Promise.all(changes.map((change) => transactions.replace(row, change)));
    expect(results.filter((isReplaced) => isReplaced)).to.have.length(1);
    expect(await transactions.find(row.id)).to.include(changes[results.indexOf(true)]!);
  });

  it("finds the stored transactions of many calls", async () => {
    const { transactions } = store;
    const rows = [1, 2, 3].map((nonce) => createTransactionRow(nonce));
    await transactions.addMany(rows);
    const calls = [rows[0]!, { kind: "other", key: rows[1]!.key }, rows[2]!, { kind: rows[0]!.kind, key: "new" }];
    const found = await transactions.findByKeys(calls);
    expect(found.map(({ nonce }) => nonce).sort()).to.deep.equal([1, 3]);
  });

  it("does not mark a transaction as sent that a block has meanwhile", async () => {
    const { transactions } = store;
    const rows = [1, 2].map((nonce) => createTransactionRow(nonce));
    await transactions.addMany(rows);
    await transactions.update(rows[0]!.id, { status: "included", block: 5 });
    await transactions.markSent(
      rows.map(({ id }) => id),
      BASE_TIME_MS + 1,
    );
    await transactions.markSent([rows[1]!.id], BASE_TIME_MS + 2);
    expect(await transactions.find(rows[0]!.id)).to.include({ status: "included", block: 5, sentAtMs: null });
    expect(await transactions.find(rows[1]!.id)).to.include({ status: "sent", sentAtMs: BASE_TIME_MS + 1 });
  });

  it("lists what waits for a block or has a new one, and ends the watch of final blocks", async () => {
    const { transactions } = store;
    const rows = [1, 2, 3, 4].map((nonce) => createTransactionRow(nonce));
    await transactions.addMany(rows);
    await transactions.addMany([createTransactionRow(1, { from: BOB })]);
    await transactions.updateMany([rows[0]!.id, rows[1]!.id], { status: "included", block: 5 });
    await transactions.update(rows[2]!.id, { status: "failed", block: 7 });
    const listNonces = async (aboveBlock: number) =>
      (await transactions.listUnconfirmed(ALICE, aboveBlock)).map(({ nonce }) => nonce);
    expect(await listNonces(4)).to.deep.equal([1, 2, 3, 4]);
    expect(await listNonces(5)).to.deep.equal([3, 4]);
    expect(await transactions.summarizeUnsettled(ALICE)).to.deep.equal({ waiting: 1, newestBlock: 7 });
    await transactions.settle(ALICE, 6, BASE_TIME_MS);
    expect((await transactions.listUnsettled(ALICE)).map(({ nonce }) => nonce)).to.deep.equal([3, 4]);
    expect((await transactions.find(rows[0]!.id))?.settledAtMs).to.equal(BASE_TIME_MS);
  });
});
