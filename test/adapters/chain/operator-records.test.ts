import { expect } from "chai";
import { createRefusalRecorder } from "../../../backend/adapters/chain/record-refusal.ts";
import { SignedToday } from "../../../backend/adapters/chain/transaction-manager/signed-today.ts";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import { REFUSAL_ACTION } from "../../../domain/operator-policy.ts";
import { DAY_MS } from "../../../domain/time.ts";
import { openMemoryStore } from "../../../testing/images.ts";
import { useEach } from "../../helpers/fixture.ts";
import { ALICE, createTransactionRow } from "../store/rows.ts";

describe("records of the operator's calls", () => {
  const store = useEach(openMemoryStore);

  it("keep one rejection for each kind of call", async () => {
    const record = createRefusalRecorder(store.operator, systemClock);
    const call = { key: "one", to: ALICE, data: "0x12345678" } as const;
    for (const kind of ["payout", "payout", "relay", "relay"]) await record({ ...call, kind }, "refused");
    const rows = await store.operator.listAudit({ subject: "one", action: REFUSAL_ACTION, limit: 10 });
    const kinds = rows.map(({ after }) => (JSON.parse(after!) as { readonly kind: string }).kind);
    expect(kinds).to.have.members(["payout", "relay"]);
  });

  it("count a day's transactions, including other backends', and read each of them once", async () => {
    const read: number[] = [];
    const { countSince, countBetween } = store.transactions;
    const keep = async (counted: Promise<number>): Promise<number> => {
      read.push(await counted);
      return counted;
    };
    const signedToday = new SignedToday(
      {
        countSince: (...range) => keep(countSince(...range)),
        countBetween: (...range) => keep(countBetween(...range)),
      },
      ALICE,
    );
    const noon = 10.5 * DAY_MS;
    const add = (nonce: number, createdAtMs: number) =>
      store.transactions.add({ ...createTransactionRow(nonce), from: ALICE, createdAtMs });
    await add(0, noon - DAY_MS);
    for (const nonce of [1, 2, 3]) await add(nonce, noon);
    expect(await signedToday.count(noon, 3)).to.equal(3);
    await add(4, noon);
    await add(5, noon);
    expect(await signedToday.count(noon, 4)).to.equal(4);
    expect(await signedToday.count(noon, 5)).to.equal(5);
    expect(read).to.deep.equal([3, 1, 1]);
    expect(await signedToday.count(noon + DAY_MS, 5)).to.equal(0);
  });
});
