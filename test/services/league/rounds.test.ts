import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { openStore } from "../../../backend/adapters/store/open-store.ts";
import { computeTextDigest } from "../../../domain/league/round.ts";
import { silentLog } from "../../adapters/chain/chain-fixture.ts";
import { useTempDatabase } from "../../adapters/store/suite.ts";
import { waitUntil } from "../../helpers/wait-until.ts";
import { BLOCK, CLOSES_MS, OPENS_MS, openRounds, SLUG } from "./open-rounds.ts";

const SEASON = { slug: SLUG, season: 1 };
const SHORT = "() => null";
/** Plays whole courses, which takes seconds, or minutes if it uses its fuel. */
const MOVE = `frame.pawn.y > frame.observation.nextGapCenterY + 35 && frame.pawn.velocityY > -200
  ? { t: "action", action: "FLAP" } : null`;
const LONG = `(frame) => ${MOVE}`;
const ENDLESS = `(frame) => { for (let i = 0; i < 90_000; i++); return ${MOVE}; }`;

async function openSeason(databaseUrl: string, ...texts: readonly string[]): Promise<void> {
  const { league, ...store } = await openStore({ databaseUrl });
  const serverSeed = `0x${"55".repeat(32)}` as const;
  await league.openFirst({ slug: SLUG, opensAtMs: OPENS_MS, closesAtMs: CLOSES_MS, serverSeed });
  for (const [index, text] of texts.entries()) {
    const wallet = `0x${String(index).padStart(40, "0")}` as const;
    const policy = { ...SEASON, wallet, agentId: String(index), text, digest: computeTextDigest(text) };
    await league.submit({ ...policy, bytes: text.length, submittedAtMs: OPENS_MS }, 10);
  }
  await store.close();
}

/** The processes that a process has started, and theirs. */
function listDescendants(processId: number): readonly number[] {
  const children = readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/status`, "utf8").includes(`\nPPid:\t${processId}\n`);
    } catch {
      return false;
    }
  });
  return children.map(Number).flatMap((child) => [child, ...listDescendants(child)]);
}

const isRunning = (processId: number): boolean => {
  try {
    return !/^State:\sZ/m.test(readFileSync(`/proc/${processId}/status`, "utf8"));
  } catch {
    return false;
  }
};

/** Whether a process yields to all others: the 39th field after its name is the scheduling policy (proc(5), sched(7)). */
const isIdle = (processId: number): boolean => {
  try {
    return readFileSync(`/proc/${processId}/stat`, "utf8").split(") ").at(-1)!.split(" ")[38] === "5";
  } catch {
    return false;
  }
};

/** Those of a round and of its policy, which only use time that no other process needs. */
async function waitForProcesses(processId: number, others: readonly number[] = []): Promise<readonly number[]> {
  let found: readonly number[] = [];
  await waitUntil(() => {
    found = listDescendants(processId).filter((id) => !others.includes(id) && isRunning(id) && isIdle(id));
    return found.length === 2;
  });
  return found;
}

function startPlaying(databaseUrl: string): ChildProcess {
  const url = new URL("open-rounds.ts", import.meta.url);
  const code = `import { playAndPrint } from "${url}"; await playAndPrint(${JSON.stringify(databaseUrl)});`;
  return spawn(process.execPath, ["--no-warnings", "--input-type=module", "-e", code], {
    cwd: fileURLToPath(new URL("../../../", import.meta.url)),
    stdio: ["ignore", "pipe", "inherit"],
  });
}

describe("the rounds of the league", () => {
  const database = useTempDatabase();
  const other = useTempDatabase();

  const play = async (databaseUrl: string, ...options: [Parameters<typeof openRounds>[1]?]) => {
    const opened = await openRounds(databaseUrl, ...options);
    await opened.rounds.run();
    const season = (await opened.store.league.findCurrent(SLUG))!;
    const file = await opened.store.league.findRound(SEASON);
    await opened.close();
    return { season, file, asked: opened.asked };
  };

  it("give the same file after kill -9 in the middle as without it", async () => {
    const texts = [SHORT, LONG, SHORT];
    await openSeason(database.databaseUrl, ...texts);
    await openSeason(other.databaseUrl, ...texts);
    const child = startPlaying(database.databaseUrl);
    const [played] = (await once(createInterface({ input: child.stdout! }), "line")) as [string];
    expect(played).to.match(/^played 0x0+$/);
    child.kill("SIGKILL");
    await once(child, "close");

    const store = await database.open();
    const { blockHash, finishedAtMs, policiesDigest } = (await store.league.findCurrent(SLUG))!;
    expect({ blockHash, finishedAtMs }).to.deep.equal({ blockHash: BLOCK.hash, finishedAtMs: null });
    expect(await store.league.findRound(SEASON)).to.equal(null);
    // The stored block counts, not another one that the chain would give now.
    const again = await play(database.databaseUrl, { block: null });
    const whole = await play(other.databaseUrl);
    expect(again.asked).to.deep.equal([]);
    expect(whole.asked).to.deep.equal([CLOSES_MS / 1000]);
    expect(Buffer.from(again.file!).equals(Buffer.from(whole.file!))).to.equal(true);
    expect(again.season).to.include({ season: 2, policiesDigest: null });
    const [result] = await store.league.listPlayed(SLUG, 1);
    expect(result).to.include({ policiesDigest, policies: 3, winner: `0x${"1".padStart(40, "0")}` });
  });

  it("have one result if two backends play at once", async () => {
    await openSeason(database.databaseUrl, SHORT, SHORT);
    const seasons = await Promise.all([play(database.databaseUrl), play(database.databaseUrl)]);
    expect(seasons.map(({ season }) => season.season)).to.deep.equal([2, 2]);
    expect(seasons[0]!.season).to.deep.equal(seasons[1]!.season);
    const store = await database.open();
    expect(await store.league.listPlayed(SLUG, 10)).to.have.length(1);
  });

  it("begin at the deadline, at the backend that may, and with a final block", async () => {
    await openSeason(database.databaseUrl, SHORT);
    const waits = [
      { nowMs: CLOSES_MS - 1 },
      { mayRun: false },
      // The list is fixed without a block.
      { block: null },
    ];
    const digests: (string | null)[] = [];
    for (const options of waits) {
      const { season, file } = await play(database.databaseUrl, options);
      expect([season.season, file]).to.deep.equal([1, null]);
      digests.push(season.policiesDigest);
    }
    expect(digests.map((digest) => digest !== null)).to.deep.equal([false, false, true]);
    expect((await play(database.databaseUrl)).file).to.not.equal(null);
  });

  it("leave no process when the backend is killed", async () => {
    await openSeason(database.databaseUrl, ENDLESS);
    const child = startPlaying(database.databaseUrl);
    const processes = await waitForProcesses(child.pid!);
    expect(processes.map(isRunning)).to.include(true);
    child.kill("SIGKILL");
    await waitUntil(() => !processes.some(isRunning));
  });

  it("end without a result when the service stops, and leave no process", async () => {
    await openSeason(database.databaseUrl, ENDLESS);
    const { rounds, store, close } = await openRounds(database.databaseUrl);
    // Tests of other files in this process may have left processes that end on their own.
    const others = listDescendants(process.pid);
    const running = rounds.run().catch((error: Error) => error.message);
    const processes = await waitForProcesses(process.pid, others);
    await rounds.stop();
    expect(await running).to.match(/^The process of a round ended/);
    await waitUntil(() => !processes.some(isRunning));
    expect(await store.league.findRound(SEASON)).to.equal(null);
    await close();
  });

  it("are tried again 30 s after a failure, which is logged unless the service stops", async () => {
    await openSeason(database.databaseUrl, SHORT);
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (_: object, text: string) => void warnings.push(text) };
    const openFailing = async () => {
      const opened = await openRounds(database.databaseUrl, { log });
      await opened.close();
      opened.rounds.start();
      opened.clock.advance(2_000);
      return opened;
    };
    await (await openFailing()).rounds.stop();
    expect(warnings).to.deep.equal([]);

    const { rounds, clock } = await openFailing();
    await waitUntil(() => warnings.length > 0);
    clock.advance(29_999);
    await new Promise(setImmediate);
    expect(warnings).to.deep.equal(["a season of the league could not be ended yet"]);
    clock.advance(1);
    await waitUntil(() => warnings.length === 2);
    await rounds.stop();
  });
});
