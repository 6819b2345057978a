import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { McpProcess } from "../../backend/adapters/node/mcp-process.ts";
import { KILLED } from "../adapters/policies/escapes.ts";
import { setEnvironment } from "../helpers/environment.ts";

const POLL_MS = 20;
const WAIT_MS = 60_000;
/** In hundredths of a second (`sysconf(_SC_CLK_TCK)`): more than a process needs to start. */
const LOOP_CPU_TICKS = 100;

/** The children of a process. */
async function listChildren(pid: number): Promise<readonly number[]> {
  const folder = `/proc/${pid}/task`;
  const texts = await Promise.all(
    (await readdir(folder)).map((thread) => readFile(`${folder}/${thread}/children`, "utf8")),
  );
  return texts.join(" ").split(" ").filter(Boolean).map(Number);
}

const isRunning = async (pid: number): Promise<boolean> => {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  return stat !== null && !/\) [ZX] /.test(stat);
};

/** The CPU time of a process. */
async function readCpuTicks(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

/** Waits for a value that is not null. */
async function waitFor<T>(find: () => Promise<T | null>): Promise<T> {
  for (const endMs = performance.now() + WAIT_MS; performance.now() < endMs; await sleep(POLL_MS)) {
    const found = await find();
    if (found !== null) return found;
  }
  throw new Error("waited in vain");
}

describe("the process of /mcp", function () {
  // Processes of policies have a low priority.
  this.timeout(3 * WAIT_MS);

  const options = { baseUrl: () => "http://127.0.0.1:1", isLocal: true, hasLeague: true, ownKey: "key" };

  it("starts where the temporary folder is missing, and where its path is too long for a socket", async () => {
    // The test run has a temporary folder with a long path.
    const folder = await mkdtemp("/tmp/arcade-mcp-folders-");
    const long = join(folder, "a".repeat(100));
    await mkdir(long);
    try {
      for (const [temporary, dataDir, parent] of [
        [join(folder, "missing"), folder, folder],
        [long, folder, folder],
        [long, long, "/tmp"],
      ] as const) {
        const restoreEnvironment = setEnvironment({ TMPDIR: temporary });
        const mcp = new McpProcess({ ...options, dataDir });
        const socketPath = await mcp.getSocketPath().finally(restoreEnvironment);
        await mcp.stop();
        expect(socketPath.startsWith(join(parent, "arcade-mcp-")), socketPath).to.equal(true);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("ends the processes of policies when the service stops, even one that does not return", async () => {
    const mcp = new McpProcess({ ...options, dataDir: tmpdir() });
    const before = await listChildren(process.pid);
    const socketPath = await mcp.getSocketPath();
    const own = (await listChildren(process.pid)).find((pid) => !before.includes(pid))!;
    const input = { slug: "flappybots", policy: KILLED };
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "simulate", arguments: input } };
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const sent = request({ socketPath, path: "/mcp", method: "POST", headers });
    sent.on("error", () => undefined).end(JSON.stringify(call));
    const sandbox = await waitFor(async () => {
      for (const pid of await listChildren(own)) if ((await readCpuTicks(pid)) >= LOOP_CPU_TICKS) return pid;
      return null;
    });
    await mcp.stop();
    expect(await isRunning(own)).to.equal(false);
    await waitFor(async () => ((await isRunning(sandbox)) ? null : true));
  });
});
