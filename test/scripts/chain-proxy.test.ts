import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { command } from "../../scripts/chain.ts";
import { root } from "../../scripts/start/build.ts";
import { useChain } from "../adapters/chain/chain-fixture.ts";
import { callCommand } from "../helpers/commands.ts";
import { useEach } from "../helpers/fixture.ts";

const CALLS = 40;

describe("npm run chain -- proxy", () => {
  const fixture = useChain();
  const place = useEach(async () => {
    const folder = mkdtempSync(join(tmpdir(), "arcade-proxy-"));
    return { folder, close: async () => rmSync(folder, { recursive: true }) };
  });
  const inFolder = (name: string): string => join(place.folder, name);
  const refuse = (...args: string[]) => callCommand(command, ["proxy", ...args]);

  async function start(...args: string[]): Promise<{ readonly child: ChildProcess; readonly url: string }> {
    const words = ["scripts/run.mjs", "chain", "proxy", "--to", fixture.rpcUrl, "--json", ...args];
    const child = spawn(process.execPath, words, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(child.stdout!, "data")) as [Buffer];
    return { child, url: (JSON.parse(String(line)) as { url: string }).url };
  }

  /** Requests the head `CALLS` times, then stops the proxy. */
  async function collectHeads(...args: string[]): Promise<readonly number[]> {
    const { child, url } = await start(...args);
    const heads = [];
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] });
    for (let call = 0; call < CALLS; call++) {
      const response = await fetch(url, { method: "POST", body, headers: { "Content-Type": "application/json" } });
      heads.push(Number(((await response.json()) as { result: string }).result));
    }
    child.kill("SIGINT");
    expect((await once(child, "exit"))[0]).to.equal(0);
    return heads;
  }

  it("fails as the seed decides, records its faults, and replays them", async () => {
    await fixture.client.mine({ blocks: 5 });
    const heads = await collectHeads("--chaos", "head", "--seed", "7", "--record", inFolder("faults.json"));
    const faults = JSON.parse(readFileSync(inFolder("faults.json"), "utf8")) as { readonly fault: string }[];
    expect(faults).to.have.length.within(1, CALLS - 1);
    const head = Number(await fixture.client.getBlockNumber());
    // Only complete blocks have a hash.
    const wrongHeads = faults.filter(({ fault }) => fault !== "head of another hash");
    expect(heads.filter((one) => one !== head)).to.have.length(wrongHeads.length);
    expect(await collectHeads("--replay", inFolder("faults.json"))).to.deep.equal(heads);
  });

  it("rejects bad input and a missing node with clear messages", async () => {
    const to = ["--to", fixture.rpcUrl];
    writeFileSync(inFolder("wrong.json"), '[{ "kind": "head", "call": 0, "fault": "head behind" }]');
    const wrong: readonly [readonly string[], number, RegExp][] = [
      [[], 2, /--to: expected the address of a node, received none/],
      [[...to, "--chaos", "quake"], 2, /expected send, receipts, .*received "quake"/],
      [[...to, "--seed", "x"], 2, /--seed: expected a whole number, received "x"/],
      [[...to, "--replay", inFolder("none.json")], 2, /--replay: expected a file that --record wrote/],
      [[...to, "--replay", inFolder("wrong.json")], 2, /expected a record of faults; 0\.call/],
      [["--to", "http://127.0.0.1:1"], 3, /nothing answers at http:\/\/127\.0\.0\.1:1/],
    ];
    for (const [args, code, message] of wrong) {
      const { code: exitCode, err } = await refuse(...args);
      expect(exitCode, err).to.equal(code);
      expect(err).to.match(message);
    }
  });
});
