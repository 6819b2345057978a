import { expect } from "chai";
import { type Address, concat, type Hex } from "viem";
import { createRefusalRecorder } from "../../../backend/adapters/chain/record-refusal.ts";
import type { TransactionManager } from "../../../backend/adapters/chain/transaction-manager/transaction-manager.ts";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import type { Clock } from "../../../backend/ports/system.ts";
import {
  createOperatorPolicy,
  OperatorBudgetError,
  OperatorGasError,
  OperatorPolicyError,
  REFUSAL_ACTION,
} from "../../../domain/operator-policy.ts";
import { DAY_MS } from "../../../domain/time.ts";
import { recipient, useTransactionManager, WAIT_MS } from "./manager-fixture.ts";

type OperatorRequest = Parameters<TransactionManager["submit"]>[0];

describe("the operator's policy", () => {
  const env = useTransactionManager();
  let manager: TransactionManager;
  before(() => env.chain.actions.register(env.chain.players[1]!));

  const createPolicy = (callsPerDay: number) => createOperatorPolicy(env.chain.deployment, callsPerDay);

  beforeEach(() => {
    manager = env.start({ policy: createPolicy(1000) });
  });

  it("lets a payout through to the rewards contract", async () => {
    const { id } = await manager.submit(await env.preparePayout(1));
    expect((await manager.waitForTransaction(id, WAIT_MS)).status).to.equal("included");
    expect(manager.counts().againstPolicy).to.equal(0);
  });

  it("rejects every other contract, function, kind and amount before anything is signed, and counts them", async () => {
    const payout = await env.preparePayout(2);
    const approve: Hex = "0x095ea7b3";
    const nonce = await env.nonceOnChain();
    const rejected: readonly OperatorRequest[] = [
      env.transfer("plain ether"),
      { ...payout, key: "contract", to: recipient as Address },
      { ...payout, key: "function", data: concat([approve, `0x${payout.data.slice(10)}`]) },
      { ...payout, key: "no function", data: "0x" as Hex },
      { ...payout, key: "kind", kind: "relay" },
      { ...payout, key: "amount", value: 1n },
      { ...payout, key: "unknown kind", kind: "feedback" },
    ];
    for (const request of rejected) {
      const error = await manager.submit(request).catch((thrown: unknown) => thrown);
      expect(error, request.key).to.be.instanceOf(OperatorPolicyError);
      expect(await env.findRow(request.kind, request.key), request.key).to.equal(null);
    }
    expect(manager.counts().againstPolicy).to.equal(rejected.length);
    expect(await env.nonceOnChain()).to.equal(nonce);
  });

  const submitAll = (using: TransactionManager, keys: readonly string[]) =>
    Promise.allSettled(
      keys.map((key) => using.submit({ kind: "test", key, to: recipient, data: "0x12345678" } as OperatorRequest)),
    );

  it("limits the calls signed in a day, even across a restart, and continues the next day", async () => {
    let nowMs = systemClock.nowMs();
    const clock: Clock = { ...systemClock, nowMs: () => nowMs };
    const rule = { kind: "test", to: recipient, selectors: ["0x12345678"] } as const;
    const policy = { ...createPolicy(3), rules: [rule] };
    const first = await submitAll(env.start({ policy, clock }), ["1", "2"]);
    expect(first.map(({ status }) => status)).to.deep.equal(["fulfilled", "fulfilled"]);
    const restarted = env.start({ policy, clock });
    const [third, ...beyond] = await submitAll(restarted, ["3", "4", "5"]);
    expect(third!.status).to.equal("fulfilled");
    for (const result of beyond) expect(result).to.have.property("reason").that.is.instanceOf(OperatorBudgetError);
    expect(restarted.counts().againstPolicy).to.equal(2);
    expect(await env.findRow("test", "4")).to.equal(null);
    nowMs += DAY_MS;
    const [next] = await submitAll(restarted, ["4"]);
    expect(next!.status).to.equal("fulfilled");
  });

  it("signs no call that needs more gas than its limit", async () => {
    const limited = env.start({ policy: { ...createPolicy(10), gasPerCall: 21_000n } });
    const error = await limited.submit(await env.preparePayout(1)).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(OperatorGasError);
    expect(limited.counts().againstPolicy).to.equal(1);
    expect(await env.findRow("payout", "payout-1")).to.equal(null);
  });

  it("signs all other calls after a node has answered one with too much gas", async () => {
    const limited = env.start({ policy: createPolicy(10) });
    await env.chain.actions.register(env.chain.players[0]!);
    const [request, beside] = [await env.preparePayout(0), await env.preparePayout(1)];
    let answers = 0;
    env.node.intercept(({ method }, response) => {
      answers += method === "eth_estimateGas" ? 1 : 0;
      return method === "eth_estimateGas" && answers === 1 ? { id: response.id, result: "0x989680" } : response;
    });
    const [rejection, other] = await Promise.allSettled([limited.submit(request), limited.submit(beside)]);
    expect(rejection).to.have.property("reason").that.is.instanceOf(OperatorGasError);
    expect(other).to.have.nested.property("value.status", "sent");
    const { id } = await limited.submit(request);
    expect((await limited.waitForTransaction(id, WAIT_MS)).status).to.equal("included");
  });

  it("stores a rejected call with its reason, once", async () => {
    const recordRefusal = createRefusalRecorder(env.store.operator, systemClock);
    const recorded: Promise<void>[] = [];
    const recording = env.start({
      policy: createPolicy(10),
      recordRefusal: (...refusal) => {
        const done = recordRefusal(...refusal);
        recorded.push(done);
        return done;
      },
    });
    for (let attempt = 0; attempt < 2; attempt++) {
      await recording.submit(env.transfer("ether")).catch(() => undefined);
      await Promise.all(recorded);
    }
    expect(recorded).to.have.length(2);
    const rows = await env.store.operator.listAudit({ subject: "ether", action: REFUSAL_ACTION, limit: 10 });
    expect(rows).to.have.length(1);
    expect(JSON.parse(rows[0]!.after!)).to.include({ kind: "test", value: "1" }).and.have.property("reason");
  });
});
