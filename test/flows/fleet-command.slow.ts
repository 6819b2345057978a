import { type ChildProcess, spawn } from "node:child_process";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { PATIENT_WITH_CHAIN } from "../../lab/drills/support/drill.ts";
import { root } from "../../scripts/start/build.ts";
import { waitUntil } from "../helpers/wait-until.ts";

const POLL_MS = 50;
const SLUG = "flappybots";

interface ReadyLine {
  readonly httpUrl: string;
  readonly rpcUrl: string;
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly backends: readonly { readonly httpUrl: string; readonly processId: number }[];
}

interface RunningCommand {
  readonly child: ChildProcess;
  /** The output so far. */
  out(): string;
  err(): string;
  readonly exited: Promise<number | null>;
}

/** Runs a command of `npm run`; its data is in `folder`. */
function run(folder: string, name: string, ...args: readonly string[]): RunningCommand {
  const texts = { out: "", err: "" };
  const child = spawn(process.execPath, ["scripts/run.mjs", name, "--json", ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    // The command's temporary files are below the folder, so that the test sees leftover ones.
    env: {
      ...process.env,
      ...PATIENT_WITH_CHAIN,
      TMPDIR: folder,
      ARCADE_DATA_DIR: folder,
      ARCADE_PORT: "0",
      ARCADE_RPC_PORT: "0",
    },
  });
  child.stdout.on("data", (chunk) => {
    texts.out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    texts.err += chunk;
  });
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, out: () => texts.out, err: () => texts.err, exited };
}

/** The machine's processes whose command line or environment contains the folder. */
async function listProcesses(folder: string): Promise<readonly string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  const read = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "");
  const found = await Promise.all(
    ids.map(async (id) => ((await read(`/proc/${id}/environ`)) + (await read(`/proc/${id}/cmdline`))).includes(folder)),
  );
  return ids.filter((_, index) => found[index]);
}

/** The tests wait for conditions. If one is never met, the timeout ends them. */
describe("npm run fleet", function () {
  this.timeout(400_000);
  let folder: string;
  let fleet: RunningCommand;
  before(async () => {
    // PostgreSQL runs as its own user, which has to reach its data.
    folder = await mkdtemp(join(tmpdir(), "arcade-command-"));
    await chmod(folder, 0o755);
  });
  afterEach(() => {
    fleet?.child.kill("SIGKILL");
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function startFleet(backends: number): Promise<ReadyLine> {
    fleet = run(folder, "fleet", "--backends", String(backends));
    await Promise.race([
      waitUntil(() => fleet.out().includes("\n")),
      fleet.exited.then((code) => {
        throw new Error(`npm run fleet ended with ${code}: ${fleet.err()}`);
      }),
    ]);
    return JSON.parse(fleet.out()) as ReadyLine;
  }

  /** Without a process, no port is in use either. */
  const waitUntilNothingIsLeft = (): Promise<void> => waitUntil(async () => (await listProcesses(folder)).length === 0);

  /** Waits for a backend that runs a session whose player has joined, when the start's response has arrived. */
  async function findBusyBackend({ httpUrl, backends }: ReadyLine): Promise<ReadyLine["backends"][number]> {
    // A restarting backend does not answer.
    const read = (url: string): Promise<string> =>
      fetch(url).then(
        (response) => response.text(),
        () => "",
      );
    await waitUntil(async () =>
      (await read(`${httpUrl}/api/games/${SLUG}/sessions/live`)).includes('"phase":"running"'),
    );
    for (;;) {
      for (const backend of backends) {
        const metrics = await read(`${backend.httpUrl}/metrics`);
        if (/^arcade_sessions_live\{[^}]*\} [1-9]/m.test(metrics)) return backend;
      }
      await sleep(POLL_MS);
    }
  }

  it("plays an agent until it is paid through the balancer while the backend of its game is killed", async () => {
    const ready = await startFleet(3);
    const agent = run(folder, "agent", "--url", ready.httpUrl, "--game", SLUG, "--bot", "quick");
    const endedEarly = agent.exited.then(() => {
      throw new Error(`the agent ended before its game ran: ${agent.err()}`);
    });
    endedEarly.catch(() => undefined);
    const busy = await Promise.race([findBusyBackend(ready), endedEarly]);
    // The game continues from the recording: the agent voids the lost moment, and attests the rest.
    process.kill(busy.processId, "SIGKILL");
    expect(await agent.exited, agent.err()).to.equal(0);
    const { agents } = JSON.parse(agent.out()) as { readonly agents: readonly { readonly payout: unknown }[] };
    expect(agents[0]?.payout).to.include({ paid: true });
    const restarted = `backend ${ready.backends.indexOf(busy) + 1}: ended with `;
    expect(fleet.err()).to.include(restarted);

    fleet.child.kill("SIGINT");
    expect(await fleet.exited, fleet.err()).to.equal(0);
    await waitUntilNothingIsLeft();
    expect((await readdir(folder)).filter((name) => name.startsWith("arcade-"))).to.deep.equal([]);
  });

  it("leaves nothing running when it is killed", async () => {
    await startFleet(1);
    expect(await listProcesses(folder)).to.have.length.greaterThan(1);
    fleet.child.kill("SIGKILL");
    await fleet.exited;
    await waitUntilNothingIsLeft();
  });
});
