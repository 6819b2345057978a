/**
 * D1: the disk takes no more bytes, another program keeps the database locked, and a backup is made and restored, while
 * agents play. What must hold: only stored data is acknowledged, ticks continue, writes that cannot be stored are
 * answered with 503 and a code, and the service recovers by itself.
 *
 * The disk is full only for the backend's process: `prlimit --fsize=0` makes each file write fail, as on a full disk,
 * without the privileges needed to mount a small one.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect } from "chai";
import { snapshotScore } from "../../client/index.ts";
import { startCommand } from "../../test/deploy/testnet.ts";
import { createAnvilAgent } from "../../test/helpers/anvil-agent.ts";
import { type AnvilChain, startAnvilChain } from "../../test/helpers/anvil-stack.ts";
import { type ContinuousPlayer, startContinuousPlayer } from "../../test/helpers/continuous-player.ts";
import { sendRequest } from "../../test/helpers/suite.ts";
import { TestSocket } from "../../test/live/test-socket.ts";
import { addEndedSession } from "../../testing/ended-session.ts";
import { startAnvilServer, toServerEnv } from "./support/anvil-server.ts";
import { expectFigure, printFigures, scaleCount, sleep, waitUntil } from "./support/drill.ts";
import { formatProbes, type Probe, Probes } from "./support/probes.ts";
import type { BackendProcess } from "./support/process.ts";

const FULL_MS = scaleCount(30_000);
/** Longer than the 5 s that a call waits for the lock, even in a short run. */
const LOCKED_MS = Math.max(7_000, scaleCount(10_000));
const PROBE_EVERY_MS = 50;
/** From the end of the fault until everything is stored. */
const BACK_MAX_MS = 10_000;
/** A write waits 5 s for a lock; its answer must come soon after. */
const ANSWER_MAX_MS = 7_000;
/** The shortest runs, such as CI's, only have the full disk: the other parts take as long under any load. */
const IS_SHORTEST = scaleCount(100) < 10;
const PLAYERS = 3;
const SLUG = "shellrunners";

describe("D1: the disk and the database", function () {
  this.timeout(600_000);
  let chain: AnvilChain;
  let server: BackendProcess;
  let players: ContinuousPlayer[];

  before(async () => {
    chain = await startAnvilChain();
    await start();
    players = [];
    for (let count = 0; count < PLAYERS; count += 1) {
      const { client } = await createAnvilAgent(chain, server.httpUrl);
      players.push(await startContinuousPlayer(client, SLUG));
    }
  });
  after(async () => {
    await stopPlayers();
    server?.kill("SIGKILL");
    await server?.exited;
    await chain?.close();
  });

  async function start(): Promise<void> {
    server = await startAnvilServer(chain, { fault: "swallowed-writes" });
  }
  const stopPlayers = () => Promise.all((players ?? []).map((player) => player.stop().catch(() => undefined)));
  const readDatabase = <T>(file: string, run: (database: Database.Database) => T): T => {
    const database = new Database(file, { readonly: true });
    try {
      return run(database);
    } finally {
      database.close();
    }
  };
  const listNonces = (file: string): ReadonlySet<unknown> =>
    readDatabase(file, (database) => new Set(database.prepare("select nonce from nonces").pluck().all()));
  const isReady = async () => (await sendRequest(server.httpUrl, "GET", "/readyz")).status === 200;

  /** Writes and reads, one after the other and each at least once. Returns the nonces that were acknowledged. */
  async function probe(probes: Probes, durationMs: number): Promise<string[]> {
    const acknowledged: string[] = [];
    const endMs = performance.now() + durationMs;
    const write = async (): Promise<void> => {
      do {
        const body = { walletAddress: `0x${"ab".repeat(20)}` };
        const response = await probes.send("write", "POST", `/api/games/${SLUG}/auth/nonce`, { body });
        if (response.status === 200) acknowledged.push(response.body.nonce);
        await sleep(PROBE_EVERY_MS);
      } while (performance.now() < endMs);
    };
    const read = async (): Promise<void> => {
      while (performance.now() < endMs) {
        await probes.send("read", "GET", `/api/games/${SLUG}/sessions/live`);
        await probes.send("read", "GET", `/api/games/${SLUG}/sessions/${players[0]!.state.sessionId}`);
        await sleep(PROBE_EVERY_MS);
      }
    };
    await Promise.all([write(), read()]);
    return acknowledged;
  }

  /** Runs with a fault, and checks what must hold for every fault. `code`: the error code of writes that fail. */
  async function runFault(
    name: string,
    code: string,
    durationMs: number,
    { begin, end }: { readonly begin: () => void; readonly end: () => void },
  ): Promise<void> {
    const probes = new Probes(server.httpUrl);
    const before = players.map(({ state }) => state.ticks);
    const beganMs = performance.now();
    begin();
    let acknowledged: string[];
    try {
      acknowledged = await probe(probes, durationMs);
    } finally {
      end();
    }
    const endedMs = performance.now();
    await waitUntil("the service is ready again", isReady, BACK_MAX_MS);
    const after = new Probes(server.httpUrl);
    const stored = await after.send("write", "POST", `/api/games/${SLUG}/auth/nonce`, {
      body: { walletAddress: `0x${"cd".repeat(20)}` },
    });
    const backMs = performance.now() - endedMs;
    await Promise.all(players.map((player) => player.nextTick()));
    printFigures({
      [name]: `${(endedMs - beganMs).toFixed(0)} ms`,
      writes: formatProbes(probes.list("write")),
      reads: formatProbes(probes.list("read")),
      "the players' ticks": players.map(({ state }, index) => state.ticks - before[index]!).join(" "),
      "back after": `${backMs.toFixed(0)} ms`,
    });
    expect(stored.status, JSON.stringify(stored.body)).to.equal(200);
    const isBreach = ({ status, code: received, defect }: Probe) =>
      (status !== 200 && received !== code) || defect !== null;
    expect(probes.list("write").filter(isBreach), "writes").to.deep.equal([]);
    expect(
      probes.list("read").filter(({ status }) => status !== 200),
      "reads",
    ).to.deep.equal([]);
    const rows = listNonces(join(chain.dataDir, "arcade.db"));
    expect(
      [...acknowledged, stored.body.nonce].filter((nonce) => !rows.has(nonce)),
      "acknowledged, not stored",
    ).to.deep.equal([]);
    expect(
      probes.list("write").map(({ code: received }) => received),
      "no write failed",
    ).to.include(code);
    expect(
      players.map(({ state }) => state.jumps),
      "frames that players missed",
    ).to.deep.equal(players.map(() => 0));
    const slowestMs = Math.max(...probes.list("write").map(({ ms }) => ms));
    expectFigure(() => expect(slowestMs, "ms of the slowest write").to.be.at.most(ANSWER_MAX_MS));
  }

  /** A practice game over a socket, which runs through the fault and ends in it. */
  async function startPractice() {
    const { body } = await sendRequest(server.httpUrl, "POST", `/api/games/${SLUG}/sessions/start`, {
      body: { source: "browser_ws" },
    });
    const socket = await new TestSocket(body.wsUrl).open();
    socket.send({ t: "auth", token: body.playToken });
    await socket.frame(({ phase }) => phase === "running");
    return { sessionId: body.sessionId as string, socket };
  }

  const setFileLimit = (limit: string): void => {
    execFileSync("prlimit", ["--pid", String(server.processId), `--fsize=${limit}:unlimited`]);
  };

  it("a full disk stops no game, and everything is stored once there is room", async () => {
    const { sessionId, socket } = await startPractice();
    await runFault("full disk", "STORAGE_FULL", FULL_MS, {
      begin: () => {
        setFileLimit("0");
        socket.send({ t: "cmd", cmd: "exit" });
      },
      end: () => setFileLimit("unlimited"),
    });
    // The end message that came while the disk was full.
    await socket.closed;
    const { session } = (await sendRequest(server.httpUrl, "GET", `/api/games/${SLUG}/sessions/${sessionId}`)).body;
    const seen = socket.getFrames().at(-1)!;
    expect(session).to.include({ phase: "ended", score: seen.score.current, tick: seen.tick });
  });

  if (IS_SHORTEST) return;

  it("a locked database stops no game, and everything is stored once it is unlocked", async () => {
    const locker = new Database(join(chain.dataDir, "arcade.db"), { timeout: 10_000 });
    try {
      await runFault("locked database", "STORAGE_BUSY", LOCKED_MS, {
        begin: () => locker.exec("begin immediate"),
        end: () => locker.exec("rollback"),
      });
    } finally {
      locker.close();
    }
  });

  it("a backup in the middle of play is complete, and the service starts from it", async () => {
    const agent = await createAnvilAgent(chain, server.httpUrl);
    const { sessionId } = await addEndedSession(chain, { wallet: agent.address, slug: SLUG });
    const admin = (...args: string[]) => startCommand("admin", [...args, "--json"], toServerEnv(chain)).done;
    const probes = new Probes(server.httpUrl);
    const before = await probe(probes, 500);
    const file = join(chain.dataDir, "backup.db");
    const writing = probe(probes, 1_500);
    const backup = await admin("backup", file);
    await writing;
    expect(backup.code, backup.stderr).to.equal(0);
    const kept = listNonces(file);
    expect(readDatabase(file, (database) => database.pragma("integrity_check", { simple: true }))).to.equal("ok");
    expect(
      before.filter((nonce) => !kept.has(nonce)),
      "not in the backup",
    ).to.deep.equal([]);
    expect(
      probes.all.filter(({ status }) => status !== 200),
      "beside the backup",
    ).to.deep.equal([]);
    expect(
      players.map(({ state }) => state.jumps),
      "frames that players missed",
    ).to.deep.equal(players.map(() => 0));
    // Facts that only the chain has afterwards.
    await snapshotScore({ client: agent.client, sessionId });
    const { score } = await agent.client.rewards.scorebank({});
    await stopPlayers();
    server.kill("SIGTERM");
    expect(await server.exited).to.equal(0);
    const restored = await admin("restore", file);
    expect(restored.code, restored.stderr).to.equal(0);
    const startedMs = performance.now();
    await start();
    await waitUntil("the service is ready", isReady, BACK_MAX_MS);
    const again = await createAnvilAgent(chain, server.httpUrl);
    const player = await startContinuousPlayer(again.client, SLUG);
    await player.stop();
    const bank = await sendRequest(server.httpUrl, "POST", "/api/rewards/scorebank", {
      token: (await agent.client.signIn.accessToken())!,
    });
    printFigures({
      "writes beside the backup": formatProbes(probes.list("write")),
      "bytes of the backup": String(backup.json?.bytes),
      "ready and played after": `${(performance.now() - startedMs).toFixed(0)} ms`,
    });
    expect(bank.body).to.include({ score });
    expect(bank.body.pending).to.deep.equal([]);
  });
});
