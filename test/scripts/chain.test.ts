import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { type LocalChain, startLocalChain } from "../../local-chain/local-chain.ts";
import { command } from "../../scripts/chain.ts";
import { startChaosNode } from "../../testing/chaos/node.ts";
import { testAccounts } from "../adapters/chain/accounts.ts";
import { callCommand } from "../helpers/commands.ts";

const RECIPIENT = "0x00000000000000000000000000000000000A11cE";

describe("npm run chain", () => {
  let dataDir: string;
  let chain: LocalChain;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "arcade-script-"));
    chain = await startLocalChain({ dataDir, port: 0, whenBusy: "fail", accounts: testAccounts });
  });
  afterEach(async () => {
    await chain.close();
    await rm(dataDir, { recursive: true });
  });
  const runAt = (rpcUrl: string, ...args: string[]) => callCommand(command, [...args, "--json", "--rpc", rpcUrl]);
  async function succeed(...args: string[]) {
    const { code, err, json } = await runAt(chain.rpcUrl, ...args);
    expect(code, err).to.equal(0);
    return json;
  }

  it("restores a chain that was saved under a name", async () => {
    await succeed("mine", "3");
    expect(await succeed("save", "three")).to.deep.equal({ name: "three", blockNumber: 3 });
    await succeed("mine", "4");
    expect(await chain.request("eth_blockNumber")).to.equal("0x7");
    expect(await succeed("load", "three")).to.deep.equal({ name: "three", blockNumber: 3 });
    expect(await chain.request("eth_blockNumber")).to.equal("0x3");
  });

  it("moves the clock forward and mines blocks", async () => {
    const beforeMs = Date.now();
    const { time, block } = await succeed("travel", "24h");
    expect(block).to.equal(1);
    expect(Date.parse(time) - beforeMs).to.be.within(86_398_000, 86_460_000);
    expect(await succeed("mine", "5")).to.include({ mined: 5, block: 6 });
  });

  it("funds an address with 1 ether", async () => {
    expect(await succeed("fund", RECIPIENT)).to.include({ address: RECIPIENT, balanceWei: String(10n ** 18n) });
  });

  it("rejects wrong arguments with exit code 2", async () => {
    const wrong = [
      [],
      ["dance"],
      ["mine"],
      ["mine", "0"],
      ["mine", "1", "2"],
      ["travel", "soon"],
      ["fund", "me"],
      ["save"],
      ["mine", "1", "--nonsense"],
    ];
    for (const args of wrong) expect((await runAt(chain.rpcUrl, ...args)).code, args.join(" ")).to.equal(2);
  });

  it("mentions the checksum of an address that it rejects", async () => {
    const { err } = await runAt(
      chain.rpcUrl,
      "fund",
      RECIPIENT.replace(/[a-f]/, (letter) => letter.toUpperCase()),
    );
    expect(err).to.include("fund: expected an address (0x and 40 hex digits, with a correct checksum)");
  });

  it("reports the node's message for a name that was never saved", async () => {
    const { code, json } = await runAt(chain.rpcUrl, "load", "never");
    expect(code).to.equal(1);
    expect(json).to.include({ ok: false, error: "No chain was saved as never" });
  });

  it("exits with code 3 when the node is on another chain or does not answer", async () => {
    const node = await startChaosNode({ to: chain.rpcUrl });
    node.fail("another chain");
    expect((await runAt(node.url, "mine", "1")).code).to.equal(3);
    node.fail(null);
    node.intercept(({ method }, answer) => (method === "eth_chainId" ? { ...answer, result: null } : answer));
    const { code, json } = await runAt(node.url, "mine", "1");
    expect([code, json?.error]).to.deep.equal([
      3,
      `The node at ${node.url} returns null instead of a number for eth_chainId.`,
    ]);
    await node.close();
    expect((await runAt(node.url, "mine", "1")).code).to.equal(3);
  });

  it("accepts its flags before and after the subcommand", async () => {
    // With Foundry's name of the flag and an equals sign.
    const { code, out, err } = await callCommand(command, ["--json", `--rpc-url=${chain.rpcUrl}`, "mine", "2"]);
    expect(code, err).to.equal(0);
    expect(JSON.parse(out)).to.include({ mined: 2, block: 2 });
    expect(err).to.include("Mined 2");
  });
});
