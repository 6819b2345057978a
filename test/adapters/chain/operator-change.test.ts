/** Reproduced, and not cured yet: red. */
import { expect } from "chai";
import { testKeys } from "./chain-fixture.ts";
import { useTransactionManager } from "./manager-fixture.ts";

describe("transactions of an operator that was replaced", function () {
  this.timeout(20_000);
  const env = useTransactionManager();

  it("reach the chain by the new operator where they were never sent", async () => {
    const old = env.start();
    env.node.dropSends(true);
    await old.submit(env.transfer("left over"));
    await env.stop(old);
    env.node.dropSends(false);
    // The thief uses the nonce, or the old operator has lost its role: only the new one can send the call.
    const next = env.start({ privateKey: testKeys.guardian });
    const { id } = await next.submit(env.transfer("left over"));
    expect((await next.waitForTransaction(id, 2_000)).status).to.equal("included");
  });
});
