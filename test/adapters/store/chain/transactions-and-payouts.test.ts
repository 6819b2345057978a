import { expect } from "chai";
import type { Hex } from "viem";
import type { PayoutRow, TransactionRow } from "../../../../backend/ports/store/chain.ts";
import type { PayoutsFailedError } from "../../../../domain/operator-transactions.ts";
import { ALICE, BASE_TIME_MS, BOB, createPayoutRow, createTransactionRow, hashText } from "../rows.ts";
import { describeStore, getRejection } from "../suite.ts";

describeStore("signing store", (store, { runConcurrently }) => {
  const facts = { kind: "snapshot", key: "session", payloadHash: hashText("facts"), atMs: BASE_TIME_MS };
  const record = (key: string, text: string) => store.signings.record({ ...facts, key, payloadHash: hashText(text) });

  it("records facts, and accepts the same facts again", async () => {
    const results = await runConcurrently(({ signings }, index) =>
      signings.record({ ...facts, atMs: BASE_TIME_MS + index }),
    );
    expect(new Set(results)).to.deep.equal(new Set(["recorded"]));
  });

  it("records one of 50 different facts under one key", async () => {
    const results = await runConcurrently(({ signings }, index) =>
      signings.record({ ...facts, payloadHash: hashText(`${index}`) }),
    );
    expect(results.filter((result) => result === "recorded")).to.have.length(1);
    expect(await record(facts.key, `${results.indexOf("recorded")}`)).to.equal("recorded");
  });

  it("answers simultaneous facts as if they were recorded one after the other", async () => {
    await record("stored", "facts");
    const asked = [
      ["new", "a"],
      ["new", "b"],
      ["stored", "a"],
      ["other", "a"],
      ["new", "a"],
    ].map(([key, text]) => record(key!, text!));
    const recorded = ["recorded", "conflict", "conflict", "recorded", "recorded"];
    expect(await Promise.all(asked)).to.deep.equal(recorded);
    expect(await record("new", "a")).to.equal("recorded");
  });

  it("records facts together with others that cannot be recorded", async () => {
    const invalid = store.signings.record({ ...facts, key: "b", payloadHash: null as unknown as Hex });
    const settled = await Promise.allSettled([record("a", "1"), invalid, record("c", "1")]);
    expect(settled.map(({ status }) => status)).to.deep.equal(["fulfilled", "rejected", "fulfilled"]);
    expect([await record("b", "2"), await record("c", "2")]).to.deep.equal(["recorded", "conflict"]);
  });

  it("keeps equal keys of different kinds apart", async () => {
    await store.signings.record(facts);
    const other = { ...facts, payloadHash: hashText("other") };
    expect(await store.signings.record({ ...other, kind: "mint" })).to.equal("recorded");
    expect(await store.signings.record(other)).to.equal("conflict");
  });
});

describeStore("payout store", (store, { runConcurrently }) => {
  const open = async (change: Partial<PayoutRow> = {}): Promise<PayoutRow> => {
    const row = createPayoutRow(change);
    expect(await store.payouts.open(row)).to.deep.equal(row);
    return row;
  };
  const advance = ({ payoutId }: PayoutRow, from: PayoutRow["status"], change: Partial<PayoutRow>) =>
    store.payouts.advance(payoutId, from, change);
  const reopen = ({ payoutId }: PayoutRow, atMs: number) => store.payouts.reopen(payoutId, "included", atMs);
  const find = ({ payoutId }: PayoutRow) => store.payouts.find(payoutId);

  it("opens one payout for 50 calls of a wallet and returns it to all", async () => {
    const results = await runConcurrently(({ payouts }) => payouts.open(createPayoutRow()));
    expect(new Set(results.map(({ payoutId }) => payoutId)).size).to.equal(1);
    expect(await store.payouts.listOpen()).to.deep.equal([results[0]]);
    await open({ wallet: BOB });
  });

  it("keeps amounts beyond 2^53 exactly", async () => {
    const row = await open({ amount: 2n ** 256n - 1n, score: 2n ** 53n + 1n });
    expect(await find(row)).to.deep.equal(row);
    expect(await store.payouts.find("unknown")).to.equal(null);
  });

  for (const closing of ["included", "failed"] as const)
    it(`stays open until ${closing}`, async () => {
      const row = await open();
      const sent = { status: "sent", transactionId: "tx", txHash: hashText("tx"), amount: 1n } as const;
      expect(await advance(row, "pending", sent)).to.equal(true);
      expect(await store.payouts.open(createPayoutRow())).to.deep.equal({ ...row, ...sent });
      expect(await store.payouts.listOpen()).to.deep.equal([{ ...row, ...sent }]);
      expect(await advance(row, "sent", { status: closing })).to.equal(true);
      expect(await store.payouts.findOpen(ALICE)).to.equal(null);
      expect(await store.payouts.listOpen()).to.deep.equal([]);
      await open();
    });

  it("moves a payout forward once for 50 callers that expect the same status", async () => {
    const row = await open();
    const results = await runConcurrently(({ payouts }, index) =>
      payouts.advance(row.payoutId, "pending", { status: "sent", txHash: hashText(`${index}`) }),
    );
    expect(results.filter(Boolean)).to.have.length(1);
    expect((await find(row))?.txHash).to.equal(hashText(`${results.indexOf(true)}`));
  });

  it("fails an unsent payout, whose transaction is not stored after that", async () => {
    const row = await open();
    expect(await store.payouts.failUnsent(row.payoutId, BASE_TIME_MS)).to.equal(true);
    expect(await find(row)).to.include({ status: "failed", settledAtMs: BASE_TIME_MS });
    const ofPayout = createTransactionRow(0, { kind: "payout", key: row.payoutId });
    const other = createTransactionRow(1);
    const error = await getRejection(store.transactions.addMany([ofPayout, other]));
    expect((error as PayoutsFailedError).payoutIds).to.deep.equal(new Set([row.payoutId]));
    expect(await store.transactions.findByKeys([ofPayout, other])).to.deep.equal([]);
  });

  it("does not fail a payout whose transaction is stored", async () => {
    const row = await open();
    await store.transactions.add(createTransactionRow(0, { kind: "payout", key: row.payoutId }));
    expect(await store.payouts.failUnsent(row.payoutId, BASE_TIME_MS)).to.equal(false);
    expect(await find(row)).to.deep.equal(row);
  });

  it("fails a payout or stores its transaction, never both, for 50 simultaneous callers", async () => {
    const row = await open();
    const call = { kind: "payout", key: row.payoutId };
    await runConcurrently(async ({ payouts, transactions }, index) => {
      if (index % 2 === 0) await payouts.failUnsent(row.payoutId, BASE_TIME_MS);
      else await transactions.add(createTransactionRow(index, call)).catch(() => undefined);
    });
    const stored = await store.transactions.findByKeys([call]);
    expect((await find(row))?.status).to.equal(stored.length === 1 ? "pending" : "failed");
  });

  it("does not move a payout backward, nor one that is settled", async () => {
    const row = await open();
    expect(await advance(row, "pending", { status: "included" })).to.equal(true);
    expect(await advance(row, "pending", { status: "sent" })).to.equal(false);
    expect(() => advance(row, "included", { status: "sent" })).to.throw(/included to sent/);
    expect(await advance(row, "included", { settledAtMs: BASE_TIME_MS })).to.equal(true);
    expect(await advance(row, "included", { txHash: hashText("x") })).to.equal(false);
    expect(await reopen(row, BASE_TIME_MS)).to.equal(false);
    expect((await find(row))?.status).to.equal("included");
  });

  it("reopens a payout that a reorganization has undone, even beside the wallet's next one", async () => {
    const first = await open();
    await advance(first, "pending", { status: "included" });
    const second = await open({ createdAtMs: BASE_TIME_MS + 1 });
    expect(await reopen(first, BASE_TIME_MS + 2)).to.equal(true);
    const ids = (await store.payouts.listOpen()).map(({ payoutId }) => payoutId);
    expect(ids).to.deep.equal([first.payoutId, second.payoutId]);
    const third = await store.payouts.open(createPayoutRow({ createdAtMs: BASE_TIME_MS + 3 }));
    expect(third).to.include({ payoutId: first.payoutId, status: "sent", reopenedAtMs: BASE_TIME_MS + 2 });
  });

  it("lists the payouts that differ from their transactions", async () => {
    const row = await open();
    const expectListed = async (...rows: readonly PayoutRow[]): Promise<void> => {
      const ids = (await store.payouts.listUnsynced()).map(({ payoutId }) => payoutId);
      expect(ids).to.deep.equal(rows.map(({ payoutId }) => payoutId));
    };
    await expectListed(row);
    const transaction = createTransactionRow(1, { status: "sent" });
    const update = (change: Partial<TransactionRow>) => store.transactions.update(transaction.id, change);
    await store.transactions.add(transaction);
    await advance(row, "pending", { status: "sent", transactionId: transaction.id, txHash: transaction.txHash });
    await expectListed();
    await update({ status: "queued" });
    await expectListed();
    await update({ status: "included", block: 5 });
    await expectListed(row);
    await advance(row, "sent", { status: "included" });
    await expectListed();
    await update({ settledAtMs: BASE_TIME_MS });
    await expectListed(row);
    await advance(row, "included", { settledAtMs: BASE_TIME_MS });
    await expectListed();
  });

  it("rejects a new payout that is not open", async () => {
    expect(await store.payouts.advance("unknown", "pending", { status: "sent" })).to.equal(false);
    const closed = createPayoutRow({ status: "failed" });
    expect((await getRejection(store.payouts.open(closed))).message).to.match(/must be open/);
    expect(await find(closed)).to.equal(null);
  });
});

describeStore("transaction store", (store, { runConcurrently }) => {
  const add = async (nonce: number, change: Partial<TransactionRow> = {}): Promise<TransactionRow> => {
    const row = createTransactionRow(nonce, change);
    await store.transactions.add(row);
    return row;
  };
  const addMany = async (...nonces: readonly number[]): Promise<readonly TransactionRow[]> => {
    const rows = nonces.map((nonce) => createTransactionRow(nonce));
    await store.transactions.addMany(rows);
    return rows;
  };
  const update = ({ id }: TransactionRow, change: Partial<TransactionRow>) => store.transactions.update(id, change);
  const find = ({ id }: TransactionRow) => store.transactions.find(id);
  const toNonces = (rows: readonly TransactionRow[]): number[] => rows.map(({ nonce }) => nonce);
  const listUnsettled = async () => toNonces(await store.transactions.listUnsettled(ALICE));

  it("a transaction is found by id and by key", async () => {
    const row = await add(4, { value: 2n ** 200n });
    expect(await find(row)).to.deep.equal(row);
    expect(await store.transactions.findByKeys([row])).to.deep.equal([row]);
    expect(await store.transactions.find("unknown")).to.equal(null);
    expect(await store.transactions.findByKeys([{ ...row, kind: "other" }])).to.deep.equal([]);
  });

  for (const [title, create] of [
    ["a nonce", () => createTransactionRow(7)],
    ["a key", (index: number) => createTransactionRow(index, { key: "payout of Alice" })],
  ] as const)
    it(`stores ${title} once for 50 callers`, async () => {
      const settled = await runConcurrently(({ transactions }, index) =>
        transactions.add(create(index)).then(
          () => create(index).nonce,
          () => null,
        ),
      );
      const stored = settled.filter((nonce) => nonce !== null);
      expect(stored).to.have.length(1);
      expect(await listUnsettled()).to.deep.equal(stored);
      expect(await store.transactions.getLastNonce(ALICE)).to.equal(stored[0]);
    });

  it("counts the nonces of each operator, so that its key can be changed", async () => {
    await add(7);
    await add(7, { from: BOB });
    expect(await store.transactions.getLastNonce(BOB)).to.equal(7);
    expect((await store.transactions.listUnsettled(BOB)).map(({ from }) => from)).to.deep.equal([BOB]);
  });

  it("lists the transactions that are not settled in nonce order", async () => {
    expect(await store.transactions.getLastNonce(ALICE)).to.equal(null);
    await add(10);
    const [settled, sent] = [await add(9), await add(11)];
    await add(2);
    await update(settled, { status: "included", block: 5, settledAtMs: BASE_TIME_MS });
    const change = { status: "sent", sentAtMs: BASE_TIME_MS + 1, raw: "0x03", maxFeePerGas: 99n } as const;
    await update(sent, change);
    expect(await listUnsettled()).to.deep.equal([2, 10, 11]);
    expect(await store.transactions.getLastNonce(ALICE)).to.equal(11);
    expect(await find(sent)).to.deep.equal({ ...sent, ...change });
    const unknown = await getRejection(store.transactions.update("unknown", { block: 1 }));
    expect(unknown.message).to.match(/no transaction unknown/);
  });

  it("stores many rows, or none when a nonce or a key is taken", async () => {
    await addMany(1, 2, 3);
    expect((await getRejection(addMany(4, 3))).message).to.match(/unique/i);
    expect(await listUnsettled()).to.deep.equal([1, 2, 3]);
  });

  it("replaces the signed bytes of a transaction once for 50 callers that have read the same bytes", async () => {
    const row = await add(1);
    const changes = Array.from({ length: 50 }, (_, index) => ({ raw: hashText(`raw ${index}`), nonce: 2 + index }));
    const results = await Promise.all(changes.map((change) => store.transactions.replace(row, change)));
    expect(results.filter((isReplaced) => isReplaced)).to.have.length(1);
    expect(await find(row)).to.include(changes[results.indexOf(true)]!);
  });

  it("finds the stored transactions of many calls", async () => {
    const [first, second, third] = await addMany(1, 2, 3);
    const calls = [first!, { kind: "other", key: second!.key }, third!, { kind: first!.kind, key: "new" }];
    expect(toNonces(await store.transactions.findByKeys(calls)).sort()).to.deep.equal([1, 3]);
  });

  it("does not mark a transaction as sent that is already in a block", async () => {
    const [included, sent] = await addMany(1, 2);
    await update(included!, { status: "included", block: 5 });
    await store.transactions.markSent([included!.id, sent!.id], BASE_TIME_MS + 1);
    await store.transactions.markSent([sent!.id], BASE_TIME_MS + 2);
    expect(await find(included!)).to.include({ status: "included", block: 5, sentAtMs: null });
    expect(await find(sent!)).to.include({ status: "sent", sentAtMs: BASE_TIME_MS + 1 });
  });

  it("notes why a node did not accept a transaction only while it waits", async () => {
    for (const [index, status] of (["queued", "sent", "included", "failed"] as const).entries()) {
      const row = await add(index + 1);
      await update(row, { status });
      const waits = index < 2;
      expect(await store.transactions.noteRefusal(row.id, "nonce too low")).to.equal(waits);
      expect(await find(row)).to.include({ lastError: waits ? "nonce too low" : null });
    }
  });

  it("lists transactions that wait for a block or have a new one, and stops watching final ones", async () => {
    const [first, second, third] = await addMany(1, 2, 3, 4);
    await add(1, { from: BOB });
    await store.transactions.updateMany([first!.id, second!.id], { status: "included", block: 5 });
    await update(third!, { status: "failed", block: 7 });
    const list = async (aboveBlock: number) => toNonces(await store.transactions.listUnconfirmed(ALICE, aboveBlock));
    expect([await list(4), await list(5)].join(" | ")).to.equal("1,2,3,4 | 3,4");
    expect(await store.transactions.summarizeUnsettled(ALICE)).to.deep.equal({ waiting: 1, newestBlock: 7 });
    await store.transactions.settle(ALICE, 6, BASE_TIME_MS);
    expect(await listUnsettled()).to.deep.equal([3, 4]);
    expect((await find(first!))?.settledAtMs).to.equal(BASE_TIME_MS);
  });
});
