import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { findFreePort } from "../../scripts/fleet/free-port.ts";
import { waitUntil } from "../helpers/wait-until.ts";
import { root } from "./testnet.ts";

const COMMANDS_MAX = 9;
const MINUTES_MAX = 15;

const isAnswering = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ status }) => status === 200,
    () => false,
  );

describe("the tutorial of a testnet", () => {
  it("leads from a clone to a paid agent with the commands of the page", async function () {
    this.timeout(MINUTES_MAX * 60_000);
    const page = await readFile(join(root, "docs/testnet.md"), "utf8");
    const commands = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, command]) => command!.trim());
    expect(commands.length).to.be.within(2, COMMANDS_MAX);
    // The first command is needed to run the tests at all.
    const [install, startChain, ...others] = commands;
    expect(install).to.equal("npm ci");
    const folder = await mkdtemp(join(tmpdir(), "arcade-tutorial-"));
    const [chainPort, servicePort] = [await findFreePort(), await findFreePort()];
    const running: ChildProcess[] = [];
    let addresses: { readonly [role: string]: string } = {};
    const { PATH, HOME } = process.env;

    /** Starts a command as on the page, but with free ports and a separate folder. */
    function start(command: string) {
      const text = command
        .replaceAll("8545", String(chainPort))
        .replaceAll("4100", String(servicePort))
        .replaceAll("testnet/", `${folder}/`)
        .replace(/--out testnet\b/, `--out ${folder}`)
        .replace('"DEPLOYER"', `"${addresses.deployer}"`)
        .replace('"OPERATOR"', `"${addresses.operator}"`);
      const env = { PATH, HOME, CI: "1", ARCADE_PORT: String(servicePort), ARCADE_DEMO_AGENTS: "off" };
      const child = spawn("sh", ["-c", text], {
        cwd: root,
        env: { ...env, ARCADE_DATA_DIR: join(folder, "data") },
        stdio: ["ignore", "pipe", "pipe"],
        detached: true,
      });
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk) => {
          output += chunk;
        });
      running.push(child);
      return { ended: once(child, "close").then(([code]) => ({ code, output })) };
    }
    async function run(command: string): Promise<string> {
      const { code, output } = await start(command).ended;
      expect(code, `${command}\n${output}`).to.equal(0);
      return output;
    }

    try {
      start(startChain!);
      const rpcUrl = `http://127.0.0.1:${chainPort}`;
      await waitUntil(() =>
        fetch(rpcUrl).then(
          () => true,
          () => false,
        ),
      );
      let output = "";
      for (const command of others) {
        if (/npm run serve$/.test(command)) {
          const ended = start(command).ended.then(({ output: log }) => Promise.reject(new Error(log)));
          await Promise.race([waitUntil(() => isAnswering(`http://127.0.0.1:${servicePort}/readyz`)), ended]);
          ended.catch(() => {});
          continue;
        }
        output = await run(command);
        if (command.includes("-- roles"))
          addresses = Object.fromEntries(
            [...output.matchAll(/^ *(\w+) +(0x[0-9a-fA-F]{40})/gm)].map(([, role, address]) => [role!, address!]),
          );
      }
      expect(output).to.match(/✓ payout +[\d.]+ ARCD received for \d+ points/);
    } finally {
      for (const { pid, exitCode, signalCode } of running)
        if (exitCode === null && signalCode === null) process.kill(-pid!, "SIGKILL");
      await Promise.all(running.map((child) => (child.exitCode ?? child.signalCode) === null && once(child, "close")));
      await rm(folder, { recursive: true });
    }
  });
});
