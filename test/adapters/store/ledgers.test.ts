import { expect } from "chai";
import { ALICE, BOB, hexOf, payoutRow, T0, transactionRow } from "./rows.ts";
import { describeStore, race, rejectionOf } from "./suite.ts";

describeStore("signing ledger", (subject) => {
  const facts = { kind: "snapshot", key: "session", payloadHash: hexOf("facts"), atMs: T0 };

  it("records facts, and the same facts again", async () => {
    const answers = await race(subject(), (store, index) => store.signings.record({ ...facts, atMs: T0 + index }));
    expect(new Set(answers)).to.deep.equal(new Set(["recorded"]));
  });

  it("lets one of 50 different facts through", async () => {
    const answers = await race(subject(), (store, index) =>
      store.signings.record({ ...facts, payloadHash: hexOf(`${index}`) }),
    );
    expect(answers.filter((answer) => answer === "recorded")).to.have.length(1);
    const winner = hexOf(`${answers.indexOf("recorded")}`);
    expect(await subject().store.signings.record({ ...facts, payloadHash: winner })).to.equal("recorded");
  });

  it("knows a key by its kind", async () => {
    const { signings } = subject().store;
    await signings.record(facts);
    expect(await signings.record({ ...facts, kind: "mint", payloadHash: hexOf("other") })).to.equal("recorded");
    expect(await signings.record({ ...facts, payloadHash: hexOf("other") })).to.equal("conflict");
  });
});

describeStore("payout ledger", (subject) => {
  it("opens one of 50 payouts of a wallet and answers it to all", async () => {
    const answers = await race(subject(), (store) => store.payouts.open(payoutRow()));
    expect(answers.filter((answer) => answer.opened)).to.have.length(1);
    expect(new Set(answers.map((answer) => answer.payout.payoutId)).size).to.equal(1);
    expect(await subject().store.payouts.findOpen(ALICE)).to.deep.equal(answers[0]?.payout);
    expect((await subject().store.payouts.open(payoutRow({ wallet: BOB }))).opened).to.equal(true);
  });

  it("keeps amounts beyond 2^53 exactly", async () => {
    const { payouts } = subject().store;
    const row = payoutRow({ amount: 2n ** 256n - 1n, score: 2n ** 53n + 1n });
    await payouts.open(row);
    expect(await payouts.find(row.payoutId)).to.deep.equal(row);
    expect(await payouts.find("unknown")).to.equal(null);
  });

  it("stays open until included or failed", async () => {
    const { payouts } = subject().store;
    for (const closing of ["included", "failed"] as const) {
      const row = payoutRow();
      expect((await payouts.open(row)).opened).to.equal(true);
      await payouts.update(row.payoutId, { status: "sent", transactionId: "tx", txHash: hexOf("tx"), amount: 1n });
      expect((await payouts.open(payoutRow())).opened).to.equal(false);
      expect(await payouts.listOpen()).to.deep.equal([
        { ...row, status: "sent", transactionId: "tx", txHash: hexOf("tx"), amount: 1n },
      ]);
      await payouts.update(row.payoutId, { status: closing });
      expect(await payouts.findOpen(ALICE)).to.equal(null);
      expect(await payouts.listOpen()).to.deep.equal([]);
    }
  });

  it("cannot open a second one by an update", async () => {
    const { payouts } = subject().store;
    const first = payoutRow();
    await payouts.open(first);
    await payouts.update(first.payoutId, { status: "included" });
    await payouts.open(payoutRow());
    expect((await rejectionOf(payouts.update(first.payoutId, { status: "sent" }))).message).to.match(/UNIQUE/);
  });

  it("says when there is nothing to update", async () => {
    const { payouts } = subject().store;
    expect((await rejectionOf(payouts.update("unknown", { status: "sent" }))).message).to.match(/no payout unknown/);
    const closed = payoutRow({ status: "failed" });
    expect((await rejectionOf(payouts.open(closed))).message).to.match(/must be open/);
    expect(await payouts.find(closed.payoutId)).to.equal(null);
  });
});

describeStore("transaction ledger", (subject) => {
  it("gives a transaction back by id and by key", async () => {
    const { transactions } = subject().store;
    const row = transactionRow(4, { value: 2n ** 200n });
    await transactions.add(row);
    expect(await transactions.find(row.id)).to.deep.equal(row);
    expect(await transactions.findByKey(row.kind, row.key)).to.deep.equal(row);
    expect(await transactions.find("unknown")).to.equal(null);
    expect(await transactions.findByKey("other", row.key)).to.equal(null);
  });

  it("takes a nonce once from 50 callers", async () => {
    const answers = await race(subject(), (store) =>
      store.transactions.add(transactionRow(7)).then(
        () => true,
        () => false,
      ),
    );
    expect(answers.filter(Boolean)).to.have.length(1);
    expect(await subject().store.transactions.lastNonce(ALICE)).to.equal(7);
  });

  it("counts the nonces of each operator, so that its key can be changed", async () => {
    const { transactions } = subject().store;
    await transactions.add(transactionRow(7));
    await transactions.add(transactionRow(7, { from: BOB }));
    expect(await transactions.lastNonce(BOB)).to.equal(7);
    expect((await transactions.listOpen(BOB)).map((row) => row.from)).to.deep.equal([BOB]);
  });

  it("takes a key once from 50 callers", async () => {
    const answers = await race(subject(), (store, nonce) =>
      store.transactions.add(transactionRow(nonce, { key: "payout of Alice" })).then(
        () => true,
        () => false,
      ),
    );
    expect(answers.filter(Boolean)).to.have.length(1);
    expect(await subject().store.transactions.listOpen(ALICE)).to.have.length(1);
  });

  it("lists what is open in nonce order", async () => {
    const { transactions } = subject().store;
    expect(await transactions.lastNonce(ALICE)).to.equal(null);
    const rows = [10, 9, 11, 2].map((nonce) => transactionRow(nonce));
    for (const row of rows) await transactions.add(row);
    await transactions.update(rows[1]!.id, { status: "included", block: 5 });
    await transactions.update(rows[2]!.id, { status: "sent", sentAtMs: T0 + 1, raw: "0x03", maxFeePerGas: 99n });
    expect((await transactions.listOpen(ALICE)).map((row) => row.nonce)).to.deep.equal([2, 10, 11]);
    expect(await transactions.lastNonce(ALICE)).to.equal(11);
    expect(await transactions.find(rows[2]!.id)).to.deep.equal({
      ...rows[2],
      status: "sent",
      sentAtMs: T0 + 1,
      raw: "0x03",
      maxFeePerGas: 99n,
    });
    expect((await rejectionOf(transactions.update("unknown", { block: 1 }))).message).to.match(
      /no transaction unknown/,
    );
  });
});
