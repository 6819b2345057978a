import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import { BatchSize, SIZE_MIN } from "../../../backend/adapters/chain/transaction-manager/batch-size.ts";
import { SerialQueue } from "../../../backend/adapters/chain/transaction-manager/serial-queue.ts";
import { Submitter } from "../../../backend/adapters/chain/transaction-manager/submitter.ts";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import { ArcadeError } from "../../../domain/errors.ts";
import { PayoutsFailedError } from "../../../domain/operator-transactions.ts";
import { silentLog } from "./chain-fixture.ts";
import { operator } from "./manager-fixture.ts";

const BATCHES_IN_FLIGHT_MAX = 6;
const GAS = 21_000n;

/** A node that answers each preparation when the test says so, and a store that keeps everything. */
function createSubmitter(gasPerCall = 4_000_000n) {
  const answers: (() => void)[] = [];
  const node = { gas: GAS as bigint | ArcadeError, error: null as Error | null };
  const state = { minedCount: 3, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
  const wallet = {
    prepare: async (calls: readonly object[]) => {
      await new Promise<void>((resolve) => answers.push(resolve));
      if (node.error !== null) throw node.error;
      return { state, gas: calls.map(() => node.gas) };
    },
    sign: async (_: object, nonce: number) => ({ raw: `0x${nonce}`, txHash: `0x${nonce}` }),
  };
  const nonces: number[] = [];
  /** What other backends have stored, and the payouts that they have failed. */
  const others = { stored: [] as readonly object[], failed: new Set<string>(), takeNonces: false };
  const store = {
    findByKeys: async () => others.stored,
    getLastNonce: async () => nonces.at(-1) ?? null,
    addMany: async (rows: readonly { readonly nonce: number; readonly key: string }[]) => {
      if (rows.some(({ key }) => others.failed.has(key))) throw new PayoutsFailedError(others.failed);
      nonces.push(...rows.map(({ nonce }) => nonce));
      if (others.takeNonces) throw new Error("the nonce is taken");
    },
    countBetween: async () => 0,
    countSince: async () => 0,
  };
  const refused: string[] = [];
  const submitter = new Submitter({
    account: operator as never,
    wallet: wallet as never,
    store: store as never,
    sender: { send: async () => ({ accepted: new Set(), underpriced: [] }) } as never,
    batchSize: new BatchSize(),
    nonces: new SerialQueue(),
    clock: systemClock,
    log: silentLog,
    policy: { rules: [], callsPerDay: 1_000, gasPerCall },
    onRefused: (_, { code }) => refused.push(code),
    onUnderpriced: () => undefined,
  });
  const submit = (count: number, kind = "test") =>
    Array.from({ length: count }, (_, index) =>
      submitter.submit({ kind, key: `${nonces.length} ${index}`, to: operator.address, data: "0x" }).then(
        ({ nonce }) => nonce,
        (error: ArcadeError): string => error.code ?? error.message,
      ),
    );
  return { answers, node, others, nonces, refused, submitter, submit };
}
/** All promises that wait for nothing else have settled. */
const settle = async (): Promise<void> => {
  for (let turns = 0; turns < 20; turns += 1) await turn();
};

describe("submitting calls", () => {
  it("prepares at most six batches at once, and the next when one has ended or failed", async () => {
    const { answers, node, nonces, submit } = createSubmitter();
    const results = submit((BATCHES_IN_FLIGHT_MAX + 2) * SIZE_MIN);
    await settle();
    expect(answers).to.have.length(BATCHES_IN_FLIGHT_MAX);
    answers[0]!();
    await settle();
    expect(answers).to.have.length(BATCHES_IN_FLIGHT_MAX + 1);
    node.error = new Error("the node is away");
    answers[1]!();
    await settle();
    expect(answers).to.have.length(BATCHES_IN_FLIGHT_MAX + 2);
    node.error = null;
    for (const answer of answers.slice(2)) answer();
    const settled = await Promise.all(results);
    expect(settled.filter((result) => result === "the node is away")).to.have.length(SIZE_MIN);
    const expected = Array.from({ length: (BATCHES_IN_FLIGHT_MAX + 1) * SIZE_MIN }, (_, index) => 3 + index);
    expect(nonces).to.deep.equal(expected);
    // As many again fit after all of them.
    const before = answers.length;
    const more = submit((BATCHES_IN_FLIGHT_MAX + 1) * SIZE_MIN);
    await settle();
    expect(answers.length - before).to.equal(BATCHES_IN_FLIGHT_MAX);
    while (answers.length > 0) {
      for (const answer of answers.splice(0)) answer();
      await settle();
    }
    await Promise.all(more);
  });

  it("shares the submission of a call that is submitted again before it has ended", async () => {
    const { answers, nonces, submit, submitter } = createSubmitter();
    const results = [...submit(1), ...submit(1)];
    await settle();
    answers[0]!();
    expect(await Promise.all(results)).to.deep.equal([3, 3]);
    await submitter.waitUntilIdle();
    expect(nonces).to.deep.equal([3]);
  });

  it("signs a call with as much gas as the policy allows, and refuses one with more", async () => {
    for (const [gasPerCall, result, codes] of [
      [GAS, 3, []],
      [GAS - 1n, "TX_FAILED", ["TX_FAILED"]],
    ] as const) {
      const { answers, refused, submit } = createSubmitter(gasPerCall);
      const [submitted] = submit(1);
      await settle();
      answers[0]!();
      expect(await submitted).to.equal(result);
      expect(refused).to.deep.equal(codes);
    }
  });

  it("finds a call that another backend has stored, whatever the node estimates", async () => {
    const { answers, others, refused, submit } = createSubmitter(GAS - 1n);
    const [submitted] = submit(1);
    await settle();
    others.stored = [{ kind: "test", key: "0 0", nonce: 7 }];
    answers[0]!();
    expect(await submitted).to.equal(7);
    expect(refused).to.deep.equal([]);
  });

  it("rejects a call after other backends have taken its nonce twenty times", async () => {
    const { answers, others, nonces, submit } = createSubmitter();
    others.takeNonces = true;
    const [submitted] = submit(1);
    await settle();
    answers[0]!();
    expect(await submitted).to.equal("the nonce is taken");
    expect(nonces).to.deep.equal(Array.from({ length: 20 }, (_, index) => 3 + index));
  });

  it("rejects a payout that another backend has failed, and signs the others", async () => {
    const { answers, others, nonces, submit } = createSubmitter();
    others.failed.add("0 1");
    const submitted = submit(3, "payout");
    await settle();
    answers[0]!();
    expect(await Promise.all(submitted)).to.deep.equal([3, "TX_FAILED", 4]);
    expect(nonces).to.deep.equal([3, 4]);
  });

  it("rejects only the call that the node's simulation rejects, without a note in the audit", async () => {
    const { answers, node, refused, nonces, submit } = createSubmitter();
    node.gas = new ArcadeError("TX_FAILED", "The call reverts.");
    const [submitted] = submit(1);
    await settle();
    answers[0]!();
    expect(await submitted).to.equal("TX_FAILED");
    expect({ refused, nonces }).to.deep.equal({ refused: [], nonces: [] });
  });
});
