import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Hex } from "viem";
import { keccak256, parseTransaction } from "viem";
import { createWorkspace, FUNDED_BALANCE_WEI } from "./job.ts";
import { type ProxyAction, type RpcCall, startProxy } from "./proxy.ts";
import { createTestAccounts, runCommand, startAnvil, startCommand } from "./testnet.ts";

const STEPS = 8;
const MAX_RUNS = 4 * STEPS;

/** Kills at three moments of every step: before it is sent, before its sending is noted, before its receipt is seen. */
function makeKillSchedule() {
  const fired: string[] = [];
  const nonces = new Map<Hex, number>();
  const fireOnce = (moment: string): boolean => !fired.includes(moment) && fired.push(moment) > 0;
  const judge = ({ method, params }: RpcCall): ProxyAction => {
    if (method === "eth_sendRawTransaction") {
      const raw = (params as [Hex])[0];
      const nonce = parseTransaction(raw).nonce ?? 0;
      nonces.set(keccak256(raw), nonce);
      if (fireOnce(`before sending ${nonce}`)) return "close before";
      if (fireOnce(`before noting ${nonce}`)) return "close after";
    }
    if (method === "eth_getTransactionReceipt") {
      const nonce = nonces.get((params as [Hex])[0]);
      if (nonce !== undefined && fireOnce(`before the receipt of ${nonce}`)) return "close before";
    }
    return "pass";
  };
  return { judge, fired };
}

for (const blockSeconds of [undefined, 2]) {
  describe(`interrupt a deployment (${blockSeconds === undefined ? "a block for each transaction" : "2 s blocks"})`, () => {
    it("goes on after a kill at every step, at the same addresses, and sends nothing twice", async function () {
      this.timeout(600_000);
      const chain = await startAnvil({ ...(blockSeconds === undefined ? {} : { blockSeconds }) });
      const folder = await mkdtemp(join(tmpdir(), "arcade-deploy-"));
      const { judge, fired } = makeKillSchedule();
      let child: ReturnType<typeof startCommand>["child"] | undefined;
      const proxy = await startProxy(chain.rpcUrl, judge, () => void child?.kill("SIGKILL"));
      try {
        const { people, roles } = createTestAccounts();
        await writeFile(join(folder, "roles.json"), JSON.stringify(roles));
        await chain.client.setBalance({ address: people.deployer.address, value: 100n * 10n ** 18n });
        const args = ["--network", "baseSepolia", "--rpc", proxy.url, "--roles", join(folder, "roles.json")];
        const more = ["--out", folder, "--confirmations", "1", "--no-verify", "--yes", "--json"];
        const env = { ARCADE_DEPLOYER_KEY: people.deployer.key };
        const plan = await runCommand("deploy", [...args, ...more, "--plan"], env);
        const { steps: planned } = plan.json!.plan as { steps: { name: string; address: string }[] };

        let killed = 0;
        let outcome: Awaited<ReturnType<typeof runCommand>> | undefined;
        for (let run = 1; run <= MAX_RUNS && outcome === undefined; run++) {
          const command = startCommand("deploy", [...args, ...more], env);
          child = command.child;
          const ended = await command.done;
          if (child.signalCode === "SIGKILL") killed++;
          else outcome = ended;
        }
        expect(outcome?.code, outcome?.stderr).to.equal(0);
        expect(fired).to.have.length(3 * STEPS);
        expect(killed).to.be.greaterThan(2 * STEPS);
        expect(await chain.client.getTransactionCount({ address: people.deployer.address })).to.equal(STEPS);
        const record = JSON.parse(await readFile(join(folder, "84532.json"), "utf8"));
        for (const { name, address } of planned.slice(0, 5)) {
          expect(record.contracts[name].address, name).to.equal(address);
        }
      } finally {
        await proxy.close();
        await chain.close();
        await rm(folder, { recursive: true });
      }
    });
  });
}

describe("interrupt a deployment between its journal and the signature", () => {
  it("sends what was prepared and never signed", async function () {
    this.timeout(120_000);
    const chain = await startAnvil();
    const { people, roles } = createTestAccounts();
    const { folder, remove } = await createWorkspace(roles);
    await chain.client.setBalance({ address: people.deployer.address, value: FUNDED_BALANCE_WEI });
    let sends = 0;
    const disconnectAtSecondSend = ({ method }: RpcCall): ProxyAction =>
      method === "eth_sendRawTransaction" && ++sends === 2 ? "close before" : "pass";
    const args = ["--network", "baseSepolia", "--roles", join(folder, "roles.json"), "--out", folder];
    const more = ["--confirmations", "1", "--no-verify", "--yes", "--json"];
    const env = { ARCADE_DEPLOYER_KEY: people.deployer.key };
    let child: ReturnType<typeof startCommand>["child"] | undefined;
    const proxy = await startProxy(chain.rpcUrl, disconnectAtSecondSend, () => void child?.kill("SIGKILL"));
    try {
      const killed = startCommand("deploy", [...args, ...more, "--rpc", proxy.url], env);
      child = killed.child;
      await killed.done;
      expect(child.signalCode).to.equal("SIGKILL");
      // As if the kill had come before the second signature was written down.
      const path = join(folder, "84532", "sent.jsonl");
      const lines = (await readFile(path, "utf8")).split("\n").filter(Boolean);
      expect(lines).to.have.length(2);
      await writeFile(path, `${lines[0]}\n`);
      const outcome = await runCommand("deploy", [...args, ...more, "--rpc", chain.rpcUrl], env);
      expect(outcome.code, outcome.stderr).to.equal(0);
      expect(await chain.client.getTransactionCount({ address: people.deployer.address })).to.equal(STEPS);
    } finally {
      await proxy.close();
      await chain.close();
      await remove();
    }
  });
});

describe("interrupt a deployment in front of a node that is late", () => {
  it("waits for a transaction that the node has and does not show yet, and sends nothing twice", async function () {
    this.timeout(120_000);
    const chain = await startAnvil();
    const { people, roles } = createTestAccounts();
    const { folder, remove } = await createWorkspace(roles);
    await chain.client.setBalance({ address: people.deployer.address, value: FUNDED_BALANCE_WEI });
    const args = ["--network", "baseSepolia", "--roles", join(folder, "roles.json"), "--out", folder];
    const more = ["--confirmations", "1", "--no-verify", "--yes", "--json"];
    const env = { ARCADE_DEPLOYER_KEY: people.deployer.key };
    let child: ReturnType<typeof startCommand>["child"] | undefined;
    let [killed, hiddenReplies] = [false, 4];
    const judge = ({ method }: RpcCall): ProxyAction => {
      if (!killed) return method === "eth_sendRawTransaction" ? "close after" : "pass";
      const asksForTransaction = method === "eth_getTransactionByHash" || method === "eth_getTransactionReceipt";
      return asksForTransaction && hiddenReplies-- > 0 ? "answer null" : "pass";
    };
    const proxy = await startProxy(chain.rpcUrl, judge, () => void child?.kill("SIGKILL"));
    try {
      const first = startCommand("deploy", [...args, ...more, "--rpc", proxy.url], env);
      child = first.child;
      await first.done;
      killed = true;
      const outcome = await runCommand("deploy", [...args, ...more, "--rpc", proxy.url], env);
      expect(outcome.code, outcome.stderr).to.equal(0);
      expect(hiddenReplies).to.be.lessThan(1);
      expect(await chain.client.getTransactionCount({ address: people.deployer.address })).to.equal(STEPS);
    } finally {
      await proxy.close();
      await chain.close();
      await remove();
    }
  });
});
