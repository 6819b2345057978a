import { expect } from "chai";
import { type Address, concat, type Hex } from "viem";
import type { TransactionManager } from "../../../backend/adapters/chain/transaction-manager/transaction-manager.ts";
import { createOperatorPolicy, OperatorPolicyError } from "../../../backend/domain/operator-policy.ts";
import { recipient, useTransactionManager, WAIT_MS } from "./manager-fixture.ts";

type OperatorRequest = Parameters<TransactionManager["submit"]>[0];

describe("the operator's policy", function () {
  this.timeout(30_000);
  const env = useTransactionManager();
  let manager: TransactionManager;
  before(() => env.chain.actions.register(env.chain.players[1]!));

  beforeEach(() => {
    manager = env.start({ policy: createOperatorPolicy(env.chain.deployment, null) });
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
      { ...payout, key: "registry", kind: "feedback" },
    ];
    for (const request of rejected) {
      const error = await manager.submit(request).catch((thrown: unknown) => thrown);
      expect(error, request.key).to.be.instanceOf(OperatorPolicyError);
      expect(await env.store.transactions.findByKey(request.kind, request.key), request.key).to.equal(null);
    }
    expect(manager.counts().againstPolicy).to.equal(rejected.length);
    expect(await env.nonceOnChain()).to.equal(nonce);
  });
});
