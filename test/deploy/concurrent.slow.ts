import { expect } from "chai";
import { startChaosNode } from "../../testing/chaos/node.ts";
import { createWorkspace, FUNDED_BALANCE_WEI } from "./job.ts";
import { createTestAccounts, startAnvil, startCommand } from "./testnet.ts";

const STEPS = 8;

/** Runs two commands for one deployment. The second starts when the first has `sent` transactions and sends the next. */
async function runTwice(sent: number) {
  const chain = await startAnvil();
  const { people, roles } = createTestAccounts();
  const { folder, rolesPath, remove } = await createWorkspace(roles);
  await chain.client.setBalance({ address: people.deployer.address, value: FUNDED_BALANCE_WEI });
  const [reached, secondWaits] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let sends = 0;
  const node = await startChaosNode({ to: chain.rpcUrl });
  node.before(async ([call]) => {
    if (call?.method !== "eth_sendRawTransaction" || ++sends !== sent + 1) return;
    reached.resolve();
    await secondWaits.promise;
  });
  const args = ["--network", "baseSepolia", "--roles", rolesPath, "--out", folder, "--confirmations", "1"];
  const start = (rpcUrl: string) =>
    startCommand("deploy", [...args, "--no-verify", "--yes", "--json", "--rpc", rpcUrl], {
      ARCADE_DEPLOYER_KEY: people.deployer.key,
    });
  try {
    const first = start(node.url);
    await Promise.race([reached.promise, first.done]);
    const second = start(chain.rpcUrl);
    const said = Promise.withResolvers<void>();
    second.child.stderr!.on("data", (chunk) => String(chunk).includes("waiting until it is done") && said.resolve());
    const isDoneFirst = await Promise.race([said.promise.then(() => false), second.done.then(() => true)]);
    secondWaits.resolve();
    const outcomes = await Promise.all([first.done, second.done]);
    const nonce = await chain.client.getTransactionCount({ address: people.deployer.address });
    return { firstPid: first.child.pid!, isDoneFirst, outcomes, nonce };
  } finally {
    secondWaits.resolve();
    await node.close();
    await chain.close();
    await remove();
  }
}

describe("start a second deployment while the first is running", () => {
  for (const sent of [1, 4, 7]) {
    it(`makes the second wait for the first after ${sent} of ${STEPS} transactions, with one deployment`, async () => {
      const { firstPid, isDoneFirst, outcomes, nonce } = await runTwice(sent);
      const [first, second] = outcomes;
      expect(isDoneFirst, "the second command did not wait").to.equal(false);
      expect(first!.code, first!.stderr).to.equal(0);
      expect(second!.code, second!.stderr).to.equal(0);
      expect(second!.stderr).to.include(`process ${firstPid} works on this deployment since`);
      expect(second!.json!.record).to.deep.equal(first!.json!.record);
      expect(nonce).to.equal(STEPS);
    });
  }
});
