import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { createRpcRequest, type RpcRequest } from "../../deploy/public/rpc.ts";
import { startChaosNode } from "../../testing/chaos/node.ts";
import { useEach } from "../helpers/fixture.ts";
import { createDeployOptions, openTestnet, runDeployment } from "./job.ts";
import { createTestAccounts, runCommand, startCommand } from "./testnet.ts";

const STEPS = 8;

// rehearsal.slow.ts ends a deployment at three moments of every step.
describe("interrupt a deployment", () => {
  const { people, roles } = createTestAccounts();
  const testnet = useEach(() => openTestnet({ people, roles }));
  const countTransactions = () => testnet.chain.client.getTransactionCount({ address: people.deployer.address });

  it("sends transactions that a killed process had prepared, and those it never signed", async () => {
    const { chain, place } = testnet;
    let sends = 0;
    const args = ["--network", "baseSepolia", "--roles", place.rolesPath, "--out", place.folder];
    const more = ["--confirmations", "1", "--no-verify", "--yes", "--json"];
    const env = { ARCADE_DEPLOYER_KEY: people.deployer.key };
    let child: ReturnType<typeof startCommand>["child"] | undefined;
    const node = await startChaosNode({ to: chain.rpcUrl });
    node.before(([call]) => {
      if (call?.method !== "eth_sendRawTransaction" || ++sends !== 2) return;
      child?.kill("SIGKILL");
      throw new Error("the connection is cut");
    });
    try {
      const killed = startCommand("deploy", [...args, ...more, "--rpc", node.url], env);
      child = killed.child;
      await killed.done;
      expect(child.signalCode).to.equal("SIGKILL");
      // As if it was killed before the second signature was stored.
      const path = join(place.folder, "84532", "sent.jsonl");
      const lines = (await readFile(path, "utf8")).split("\n").filter(Boolean);
      expect(lines).to.have.length(2);
      await writeFile(path, `${lines[0]}\n`);
      const outcome = await runCommand("deploy", [...args, ...more, "--rpc", chain.rpcUrl], env);
      expect(outcome.code, outcome.stderr).to.equal(0);
      expect(await countTransactions()).to.equal(STEPS);
    } finally {
      await node.close();
    }
  });

  it("waits for a transaction that the node has but does not return yet, and sends nothing twice", async () => {
    const node = createRpcRequest(testnet.chain.rpcUrl);
    let [isSent, hiddenReplies] = [false, 4];
    const request: RpcRequest = async (call) => {
      const answer = await node(call);
      if (!isSent && call.method === "eth_sendRawTransaction") {
        isSent = true;
        throw new Error("the process ends here");
      }
      const isLookup = /^eth_getTransaction(ByHash|Receipt)$/.test(call.method);
      return isSent && isLookup && hiddenReplies-- > 0 ? null : answer;
    };
    const options = createDeployOptions(testnet.chain, people.deployer, roles, testnet.place.folder);
    const ended = await runDeployment({ ...options, request }).catch((error: Error) => error.message);
    expect(ended).to.equal("the process ends here");
    await runDeployment({ ...options, request });
    expect(hiddenReplies).to.be.lessThan(1);
    expect(await countTransactions()).to.equal(STEPS);
  });
});
