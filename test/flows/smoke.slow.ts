import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "../../scripts/start/build.ts";

interface Ready {
  readonly httpUrl: string;
  readonly rpcUrl: string;
  readonly contracts: { readonly rewards: string };
  readonly accounts: readonly unknown[];
}

/** Running sessions of a game. */
async function listSessions(
  { httpUrl }: Ready,
  slug: string,
  list: "live" | "demo",
): Promise<readonly { readonly demo?: true }[]> {
  const response = await fetch(`${httpUrl}/api/games/${slug}/sessions/${list}`);
  const { items } = (await response.json()) as { readonly items: readonly { readonly demo?: true }[] };
  return items;
}

async function countSent({ rpcUrl }: Ready, address: string): Promise<number> {
  const request = { jsonrpc: "2.0", id: 1, method: "eth_getTransactionCount", params: [address, "latest"] };
  const headers = { "content-type": "application/json" };
  const response = await fetch(rpcUrl, { method: "POST", headers, body: JSON.stringify(request) });
  return Number(((await response.json()) as { readonly result: string }).result);
}

/** The README's commands in a fresh clone, each in a separate process. Only folders and ports differ. */
describe("a fresh clone of the repository", () => {
  let dataDir: string;
  const running = new Set<ChildProcess>();
  // A reader of the README has none of the tests' settings.
  const { ARCADE_DEMO_AGENTS: _, ...inherited } = process.env;
  const environment = () => ({
    ...inherited,
    ARCADE_DATA_DIR: dataDir,
    ARCADE_PORT: "0",
    ARCADE_RPC_PORT: "0",
    NO_COLOR: "1",
  });
  const spawnNpm = (...args: string[]): ChildProcess => {
    const child = spawn("npm", args, {
      cwd: root,
      env: environment(),
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    running.add(child);
    child.once("exit", () => running.delete(child));
    return child;
  };

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "arcade-smoke-"));
  });
  after(async () => {
    for (const child of running) process.kill(-child.pid!, "SIGKILL");
    await rm(dataDir, { recursive: true, force: true });
  });

  /** `npm start -- --json` up to its one line. */
  async function start(): Promise<{ readonly ready: Ready; stop(): Promise<void> }> {
    const child = spawnNpm("run", "--silent", "start", "--", "--json");
    // npm ends at once on a signal. Its pipe closes only when the service has ended too.
    const exited = once(child, "close");
    let output = "";
    const line = new Promise<void>((resolve) => {
      child.stdout!.on("data", (chunk) => {
        output += String(chunk);
        if (output.includes("\n")) resolve();
      });
    });
    await Promise.race([line, exited]);
    return {
      ready: JSON.parse(output) as Ready,
      stop: async () => {
        process.kill(-child.pid!, "SIGTERM");
        await exited;
      },
    };
  }

  async function agent(ready: Ready, ...flags: string[]) {
    const child = spawnNpm(
      "run",
      "--silent",
      "agent",
      "--",
      "--url",
      ready.httpUrl,
      "--game",
      "both",
      "--bot",
      "quick",
      "--json",
      ...flags,
    );
    let output = "";
    child.stdout!.on("data", (chunk) => {
      output += String(chunk);
    });
    const [code] = await once(child, "close");
    expect(code, output).to.equal(0);
    return JSON.parse(output);
  }

  it("takes an agent to its payout on both games, and still has everything after a restart", async () => {
    const first = await start();
    let address = "";
    try {
      expect(first.ready.accounts).to.have.length(10);
      for (const slug of ["shellrunners", "flappybots"])
        expect((await listSessions(first.ready, slug, "demo"))[0], `something to watch in ${slug}`).to.include({
          demo: true,
        });
      const { ok, agents } = await agent(first.ready);
      expect(ok).to.equal(true);
      const [agentReport] = agents;
      expect(agentReport.games.map(({ endReason }: { endReason: string }) => endReason)).to.deep.equal([
        "lives_lost",
        "lives_lost",
      ]);
      // On a busy machine a bot may lose its lives before its first point.
      const withPoints = agentReport.games.filter(({ score }: { score: number }) => score > 0);
      expect(agentReport.snapshots).to.have.length(withPoints.length);
      expect(agentReport.payout, JSON.stringify(agentReport)).to.include({ paid: true });
      expect(Number(agentReport.balance)).to.be.greaterThan(0);
      expect(agentReport).to.deep.include({ scorebank: 0, agentId: "1" });
      expect(agentReport.history).to.have.length(1);
      address = agentReport.address;
    } finally {
      await first.stop();
    }
    const second = await start();
    try {
      expect(second.ready.contracts).to.deep.equal(first.ready.contracts);
      const live = await listSessions(second.ready, "shellrunners", "demo");
      expect(
        live.map(({ demo }) => demo),
        "no session of an agent is running",
      ).to.deep.equal([true]);
      const sent = await countSent(second.ready, address);
      const { agents } = await agent(second.ready, "--gasless");
      expect(agents[0]).to.include({ address, agentId: "1" });
      expect(agents[0].payout, JSON.stringify(agents[0])).to.include({ paid: true });
      expect(agents[0].history, "the payout of the first run and this one").to.have.length(2);
      expect(await countSent(second.ready, address), "transactions of the wallet").to.equal(sent);
    } finally {
      await second.stop();
    }
  });
});
