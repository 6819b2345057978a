import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { type LocalChain, startLocalChain } from "../../../backend/adapters/chain/local-chain.ts";
import { runChainCommand } from "../../../scripts/chain/commands.ts";
import { testAccounts } from "./accounts.ts";
import { startFaultyNode } from "./faulty-node.ts";

const stranger = "0x00000000000000000000000000000000000A11cE";
const script = fileURLToPath(new URL("../../../scripts/chain.ts", import.meta.url));

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
  const run = (...words: string[]) => runChainCommand(words, chain.rpcUrl);

  it("saves and loads by name", async () => {
    await run("mine", "3");
    expect(await run("save", "three")).to.deep.include({ code: 0, result: { name: "three", blockNumber: 3 } });
    await run("mine", "4");
    expect(await chain.request("eth_blockNumber")).to.equal("0x7");
    expect(await run("load", "three")).to.deep.include({ code: 0, result: { name: "three", blockNumber: 3 } });
    expect(await chain.request("eth_blockNumber")).to.equal("0x3");
  });

  it("travels and mines", async () => {
    const before = Date.now();
    const { code, result } = await run("travel", "24h");
    expect(code).to.equal(0);
    const { time, block } = result as { time: string; block: number };
    expect(block).to.equal(1);
    expect(Date.parse(time) - before).to.be.within(86_398_000, 86_460_000);
    expect((await run("mine", "5")).result).to.deep.include({ mined: 5, block: 6 });
  });

  it("funds", async () => {
    const { code, result } = await run("fund", stranger);
    expect(code).to.equal(0);
    expect(result).to.include({ address: stranger, balanceWei: String(10n ** 18n) });
  });

  it("says what is wrong, each with its exit code", async () => {
    for (const words of [
      [],
      ["dance"],
      ["mine"],
      ["mine", "0"],
      ["mine", "1", "2"],
      ["travel", "soon"],
      ["fund", "me"],
      ["save"],
    ]) {
      expect((await run(...words)).code, words.join(" ")).to.equal(2);
    }
    expect(await run("load", "never")).to.deep.equal({ code: 1, sentence: "No chain was saved as never" });
    const node = await startFaultyNode(chain.rpcUrl);
    node.setFault("other-chain");
    expect((await runChainCommand(["mine", "1"], node.url)).code).to.equal(3);
    node.close();
    expect((await runChainCommand(["mine", "1"], node.url)).code).to.equal(3);
  });

  it("is a command with help, JSON on stdout and words on stderr", async () => {
    const call = (...args: string[]) =>
      new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
        execFile(process.execPath, [script, ...args], (error, stdout, stderr) =>
          resolve({ code: error?.code ?? 0, stdout, stderr }),
        );
      });
    expect(await call("--help")).to.include({ code: 0, stderr: "" });
    const json = await call("mine", "2", "--json", "--rpc", chain.rpcUrl);
    expect(json.code).to.equal(0);
    expect(JSON.parse(json.stdout)).to.deep.include({ mined: 2, block: 2 });
    expect(json.stderr).to.include("Mined 2");
    expect((await call("--nonsense")).code).to.equal(2);
  }).timeout(20_000);
});
