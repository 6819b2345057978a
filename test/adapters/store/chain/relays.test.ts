import { expect } from "chai";
import type { Address } from "viem";
import type { NewRelay } from "../../../../backend/ports/store/relays.ts";
import type { Store } from "../../../../backend/ports/store/store.ts";
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
const createAddress = (end: string): Address => `0x${end.padStart(40, "0")}`;

let made = 0;
/** A transaction with its relay of 100 gas, each with a new identity and address. */
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
  type Made = ReturnType<typeof createRelay>;
  const add = ({ transactions }: Store, ...made: readonly Made[]) =>
    transactions.addMany(
      made.map(({ row }) => row),
      made.map(({ relay }) => relay),
    );
  const find = ({ relay }: Made) => store.relays.find(relay.relayId);
  const addTimes = async (times: number, changes: Partial<NewRelay> = {}): Promise<void> => {
    for (let count = 0; count < times; count++) await add(store, createRelay(changes));
  };
  const getExceeded = async (...made: readonly Made[]) => {
    const error = await getRejection(add(store, ...made));
    expect(error).to.be.instanceOf(SponsorshipExceededError);
    for (const each of made) {
      expect(await find(each)).to.equal(null);
      expect(await store.transactions.find(each.row.id), "the transaction that is refused").to.equal(null);
    }
    return (error as SponsorshipExceededError).exceeded;
  };
  const getBound = async (changes: Partial<NewRelay>) => [...(await getExceeded(createRelay(changes))).values()].join();

  it("stores a relay with its transaction, and finds both", async () => {
    const made = createRelay();
    await add(store, made);
    const { bounds: _, ...relay } = made.relay;
    const state = { relay, transaction: { status: "queued", txHash: made.row.txHash, block: null } };
    expect(await find(made)).to.deep.equal(state);
    expect(await store.relays.findLatest(ALICE, "snapshot", relay.key)).to.deep.equal(state);
    expect(await store.relays.findLatest(BOB, "snapshot", relay.key)).to.equal(null);
    await store.transactions.update(made.row.id, { status: "included", block: 7 });
    expect((await find(made))!.transaction).to.include({ status: "included", block: 7 });
  });

  it("rejects a relay beyond each limit, with its transaction, and reports the limit", async () => {
    await addTimes(4, { identity: "a" });
    expect(await getBound({ identity: "a" })).to.equal("gasPerIdentity");
    await addTimes(4, { ip: "10.1.0.1" });
    expect(await getBound({ ip: "10.1.0.1", gas: 101 })).to.equal("gasPerAddress");
    await addTimes(2);
    expect(await getBound({ gas: 1 })).to.equal("gasPerDay");
    await addTimes(1, { day: DAY + 1 });
  });

  it("rejects a wallet's second identity, an address's third, and over half of the gas for identities", async () => {
    const kind = "identity";
    const [wallet, other] = [createAddress("C1"), createAddress("C2")];
    await addTimes(1, { kind, ip: "10.2.0.1" });
    expect(await getBound({ kind })).to.equal("mintsPerWallet");
    await addTimes(1, { kind, wallet: BOB, ip: "10.2.0.1" });
    expect(await getBound({ kind, wallet, ip: "10.2.0.1" })).to.equal("mintsPerAddress");
    expect(await getBound({ kind, wallet, gas: 301 })).to.equal("mintGasPerDay");
    await addTimes(1, { kind: "snapshot", wallet: other, gas: 301 });
  });

  it("has no limits per address where addresses are not limited", async () => {
    const unlimited = { ip: "10.3.0.1", bounds: { ...BOUNDS, gasPerAddress: null, mintsPerAddress: null } };
    await addTimes(6, unlimited);
    const last = createRelay(unlimited);
    await add(store, last);
    expect((await find(last))!.relay).to.include({ ip: "10.3.0.1", gas: 100 });
  });

  it("gives the last gas of the day to one of 50 requests at once", async () => {
    await addTimes(9);
    const results = await runConcurrently((each) => add(each, createRelay()).catch((error: unknown) => error));
    const failures = results.filter((result) => result !== undefined);
    expect(failures).to.have.length(49);
    for (const failure of failures) expect(failure).to.be.instanceOf(SponsorshipExceededError);
  });

  it("deletes expired relays, and keeps their transactions", async () => {
    const made = createRelay();
    await add(store, made);
    const purge = (beforeMs: number) => store.retention.purge("relays", beforeMs, 5);
    const { createdAtMs } = made.relay;
    expect([await purge(createdAtMs), await purge(createdAtMs + 1)]).to.deep.equal([0, 1]);
    expect(await find(made)).to.equal(null);
    expect(await store.transactions.find(made.row.id)).to.not.equal(null);
  });

  it("lists all relays of a batch that exceed the limits, and stores nothing of it", async () => {
    await addTimes(8);
    const batch = [createRelay(), createRelay(), createRelay({ gas: 150 }), createRelay()];
    const exceeded = await getExceeded(...batch);
    expect([...exceeded.keys()]).to.deep.equal(batch.slice(2).map(({ relay }) => relay.relayId));
    expect((await store.relays.readDayTotals(DAY)).gas).to.equal(800);
  });
});
