import { expect } from "chai";
import type { NewRelay } from "../../../../backend/ports/store/relays.ts";
import { SponsorshipExceededError } from "../../../../domain/sponsorship.ts";
import { ALICE, BASE_TIME_MS, BOB, createTransactionRow } from "../rows.ts";
import { describeStore, getRejection } from "../suite.ts";

const BOUNDS = {
  gasPerDay: 1_000,
  mintGasPerDay: 500,
  gasPerIdentity: 400,
  gasPerAddress: 500,
  mintsPerWallet: 1,
  mintsPerAddress: 2,
};
const DAY = 20_000;

let made = 0;
/** A transaction with its relay of 100 gas, each with an identity and an address of its own. */
function createRelay(changes: Partial<NewRelay> = {}) {
  made += 1;
  const row = createTransactionRow(made, { kind: "relay", key: `relay-${made}` });
  const relay: NewRelay = {
    relayId: `relay-${made}`,
    kind: "snapshot",
    key: `session-${made}`,
    wallet: ALICE,
    identity: String(made),
    ip: `10.0.0.${made}`,
    day: DAY,
    gas: 100,
    transactionId: row.id,
    createdAtMs: BASE_TIME_MS + made,
    bounds: BOUNDS,
    ...changes,
  };
  return { row, relay };
}

describeStore("relay store", (store, { runConcurrently }) => {
  const add = ({ row, relay }: ReturnType<typeof createRelay>, to = store) => to.transactions.addMany([row], [relay]);
  const addTimes = async (times: number, changes: Partial<NewRelay>): Promise<void> => {
    for (let count = 0; count < times; count++) await add(createRelay(changes));
  };
  const getBound = async (changes: Partial<NewRelay>): Promise<string> => {
    const made = createRelay(changes);
    const error = (await getRejection(add(made))) as SponsorshipExceededError;
    expect(error).to.be.instanceOf(SponsorshipExceededError);
    const { relays, transactions } = store;
    expect(await relays.find(made.relay.relayId)).to.equal(null);
    expect(await transactions.find(made.row.id), "the transaction that is refused").to.equal(null);
    return error.exceeded.get(made.relay.relayId)!;
  };

  it("stores a relay with its transaction, and finds both", async () => {
    const made = createRelay();
    await add(made);
    const { bounds: _, ...relay } = made.relay;
    const state = { relay, transaction: { status: "queued", txHash: made.row.txHash, block: null } };
    const { relays, transactions } = store;
    expect(await relays.find(relay.relayId)).to.deep.equal(state);
    expect(await relays.findLatest(ALICE, "snapshot", relay.key)).to.deep.equal(state);
    expect(await relays.findLatest(BOB, "snapshot", relay.key)).to.equal(null);
    await transactions.update(made.row.id, { status: "included", block: 7 });
    expect((await relays.find(relay.relayId))!.transaction).to.include({ status: "included", block: 7 });
  });

  it("refuses a relay beyond each bound, with its transaction, and names the bound", async () => {
    await addTimes(4, { identity: "a" });
    expect(await getBound({ identity: "a" })).to.equal("gasPerIdentity");
    await addTimes(4, { ip: "10.1.0.1" });
    expect(await getBound({ ip: "10.1.0.1", gas: 101 })).to.equal("gasPerAddress");
    await addTimes(2, {});
    expect(await getBound({ gas: 1 })).to.equal("gasPerDay");
    await add(createRelay({ day: DAY + 1 }));
  });

  it("refuses a second identity of a wallet, a third of an address, and more gas of them than half", async () => {
    await add(createRelay({ kind: "identity", ip: "10.2.0.1" }));
    expect(await getBound({ kind: "identity" })).to.equal("mintsPerWallet");
    await add(createRelay({ kind: "identity", wallet: BOB, ip: "10.2.0.1" }));
    const [wallet, other] = [
      "0x00000000000000000000000000000000000000C1",
      "0x00000000000000000000000000000000000000C2",
    ] as const;
    expect(await getBound({ kind: "identity", wallet, ip: "10.2.0.1" })).to.equal("mintsPerAddress");
    expect(await getBound({ kind: "identity", wallet, gas: 301 })).to.equal("mintGasPerDay");
    await add(createRelay({ kind: "snapshot", wallet: other, gas: 301 }));
  });

  it("bounds nothing by address where addresses are not limited", async () => {
    const bounds = { ...BOUNDS, gasPerAddress: null, mintsPerAddress: null };
    await addTimes(7, { ip: "10.3.0.1", bounds });
  });

  it("gives the last gas of the day to one of 50 requests at once", async () => {
    await addTimes(9, {});
    const results = await runConcurrently((store) =>
      add(createRelay(), store).then(
        () => "stored",
        (error: unknown) => error,
      ),
    );
    expect(results.filter((result) => result === "stored")).to.have.length(1);
    for (const result of results.filter((result) => result !== "stored"))
      expect(result).to.be.instanceOf(SponsorshipExceededError);
  });

  it("forgets relays whose time is over, and keeps their transactions", async () => {
    const made = createRelay();
    await add(made);
    const { retention, relays, transactions } = store;
    expect(await retention.purge("relays", made.relay.createdAtMs, 5)).to.equal(0);
    expect(await retention.purge("relays", made.relay.createdAtMs + 1, 5)).to.equal(1);
    expect(await relays.find(made.relay.relayId)).to.equal(null);
    expect(await transactions.find(made.row.id)).to.not.equal(null);
  });

  it("names all relays of a batch that are beyond the bounds, and stores nothing of it", async () => {
    await addTimes(8, {});
    const batch = [createRelay(), createRelay(), createRelay({ gas: 150 }), createRelay()];
    const stored = store.transactions.addMany(
      batch.map(({ row }) => row),
      batch.map(({ relay }) => relay),
    );
    const { exceeded } = (await getRejection(stored)) as SponsorshipExceededError;
    expect([...exceeded.keys()]).to.deep.equal([batch[2]!.relay.relayId, batch[3]!.relay.relayId]);
    const { relays } = store;
    expect((await relays.readDayTotals(DAY)).gas).to.equal(800);
    expect(await relays.find(batch[0]!.relay.relayId)).to.equal(null);
  });
});
