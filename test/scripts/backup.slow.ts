import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect } from "chai";
import { type App, startApp } from "../../backend/app/app.ts";
import { readConfig, readSecrets } from "../../backend/config/config.ts";
import { getServiceKeys } from "../../backend/config/service-keys.ts";
import { playSession, snapshotScore } from "../../client/index.ts";
import { findGame } from "../../games/index.ts";
import { command } from "../../scripts/admin.ts";
import { addEndedSession, withStore } from "../../testing/ended-session.ts";
import { createAgent, type Player } from "../../testing/player.ts";
import { silentLog, startChainFixture, waitFor } from "../adapters/chain/chain-fixture.ts";
import { callCommand } from "../helpers/commands.ts";
import { sendRequest, startTestStack, type TestStack } from "../helpers/suite.ts";

const SLUG = "flappybots";

describe("backup and restore", () => {
  let stack: TestStack;
  let folder: string;
  let player: Player;
  let isStopped: boolean;
  let restarted: App | null;
  beforeEach(async () => {
    stack = await startTestStack();
    folder = await mkdtemp(join(tmpdir(), "arcade-backup-"));
    player = await createAgent(stack);
    isStopped = false;
    restarted = null;
  });
  afterEach(async () => {
    await restarted?.close();
    if (!isStopped) await stack.app.close();
    await stack.chain.close();
    for (const path of [folder, stack.dataDir]) await rm(path, { recursive: true, force: true });
  });

  const admin = async (...args: string[]) => {
    const env = { ARCADE_DATA_DIR: stack.dataDir, ARCADE_RPC_URL: stack.chain.rpcUrl, NO_COLOR: "1" };
    return callCommand(command, [...args, "--json"], env);
  };
  const stop = async () => {
    isStopped = true;
    await stack.app.close();
  };
  const restart = async (): Promise<App> => {
    const environment = { ARCADE_DATA_DIR: stack.dataDir, ARCADE_PORT: "0", ARCADE_DEMO_AGENTS: "off" };
    const { deployment, chain } = stack;
    restarted = await startApp({
      config: readConfig(environment),
      keys: getServiceKeys(readSecrets(environment)),
      rpcUrl: chain.rpcUrl,
      deployment,
      log: silentLog,
      webDir: null,
    });
    return restarted;
  };
  const backUp = async (): Promise<string> => {
    const file = join(folder, "arcade.db");
    const result = await admin("backup", file);
    expect(result.code, result.err).to.equal(0);
    return file;
  };

  it("a backup of a running service is whole, private, and never replaces a file", async () => {
    const file = await backUp();
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    const database = new Database(file, { readonly: true });
    expect(database.pragma("integrity_check", { simple: true })).to.equal("ok");
    expect(database.prepare("select count(*) from sessions").pluck().get()).to.equal(0);
    database.close();
    const before = await readFile(file);
    const again = await admin("backup", file);
    expect(again.code).to.equal(1);
    expect(again.err + again.out).to.include("is not overwritten");
    expect(await readFile(file)).to.deep.equal(before);
  });

  it("a session that was open in the backup and counted after it is not counted again", async () => {
    const session = await player.client.sessions.start({ slug: SLUG, source: "agent_api" });
    let score = 0;
    const bot = findGame(SLUG)!.bots.reference();
    const game = playSession({
      client: player.client,
      session,
      bot,
      onFrame: (frame) => {
        score = frame.score.current;
      },
    });
    while (score < 1) await new Promise((resolve) => setTimeout(resolve, 20));
    // The recorder stores a running session once a second.
    const isRecorded = () =>
      withStore(stack, async ({ sessions }) => ((await sessions.find(session.sessionId))?.score ?? 0) > 0);
    while (!(await isRecorded())) await new Promise((resolve) => setTimeout(resolve, 50));
    const file = await backUp();
    await player.client.sessions.end({ slug: SLUG, sessionId: session.sessionId });
    await game;
    await snapshotScore({ client: player.client, sessionId: session.sessionId });
    const { score: bank } = await player.client.rewards.scorebank({});
    const token = await player.getAccessToken();
    await stop();

    const restored = await admin("restore", file);
    expect(restored.code, restored.err).to.equal(0);
    expect(restored.json).to.deep.include({ ok: true, closedSessions: 1 });
    expect((await stat(restored.json.replacedFile)).mode & 0o777).to.equal(0o600);

    const app = await restart();
    const get = (path: string) => sendRequest(app.httpUrl, "GET", path);
    const { body } = await get(`/api/games/${SLUG}/sessions/${session.sessionId}`);
    expect(body.session).to.deep.include({ phase: "ended", endReason: "server_restart" });
    expect(body.session.snapshot.state).to.equal("forfeited");
    const post = (path: string, request: object) => sendRequest(app.httpUrl, "POST", path, { token, body: request });
    const rejected = await post("/api/rewards/snapshot", { sessionId: session.sessionId });
    expect(rejected.status).to.be.within(400, 499);
    expect((await post("/api/rewards/scorebank", {})).body).to.deep.include({ score: bank, pending: [] });

    // The next session's number is above the one that only the chain had.
    const next = await addEndedSession({ ...stack, app }, { wallet: player.address, slug: SLUG, minScore: 10 });
    const signed = await post("/api/rewards/snapshot", { sessionId: next.sessionId });
    expect(signed.body).to.include({ mode: "sign" });
    const sequence = BigInt(`0x${String(signed.body.gameSessionHash).slice(-16)}`);
    const row = await withStore(stack, ({ sessions }) => sessions.find(next.sessionId));
    expect(row!.sequence).to.equal(sequence);
    expect(sequence).to.equal(3n);
    const closed = await withStore(stack, ({ sessions }) => sessions.find(session.sessionId));
    expect(closed!.sequence).to.equal(2n);
    const audit = await admin("audit", "list", "--subject", "store");
    expect(audit.json.audit[0]).to.include({ action: "store.restore" });
  });

  it("a score that was withheld after the backup stays withheld, and other changes by hand are listed", async () => {
    const early = await addEndedSession(stack, { wallet: player.address, slug: SLUG, minScore: 10 });
    const late = await addEndedSession(stack, { wallet: player.address, slug: SLUG, minScore: 10 });
    const withhold = ["sessions", "withhold", "--reason", "played by several people", "--as"];
    expect((await admin(...withhold, "first", early.sessionId)).code).to.equal(0);
    const file = await backUp();
    expect((await admin(...withhold, "second", late.sessionId)).code).to.equal(0);
    const applied = await admin(
      ...["voting", "apply", "--slug", "reef-rally", "--title", "Reef Rally"],
      ...["--developer", "Coral Games", "--url", "https://example.org"],
    );
    expect(applied.code, applied.err).to.equal(0);
    await stop();

    const restored = await admin("restore", file);
    expect(restored.code, restored.err).to.equal(0);
    expect(restored.json).to.deep.include({
      repeatedChanges: 1,
      lostChanges: [{ action: "voting.apply", subject: "reef-rally" }],
    });
    for (const { sessionId } of [early, late])
      expect((await withStore(stack, ({ sessions }) => sessions.find(sessionId)))!.verification).to.equal("withheld");
    const { audit } = (await admin("audit", "list", "--subject", late.sessionId)).json;
    expect(audit.map(({ who }: { who: string }) => who)).to.deep.equal(["second"]);
  });

  it("a restore waits until the last score signature has expired, and is rejected on another chain", async () => {
    const file = await backUp();
    const { sessionId } = await addEndedSession(stack, { wallet: player.address, slug: SLUG, minScore: 10 });
    const token = await player.getAccessToken();
    const { body } = await stack.request("POST", "/api/rewards/snapshot", { token, body: { sessionId } });
    expect(body.mode, JSON.stringify(body)).to.equal("sign");
    await stop();
    const early = await admin("restore", file);
    expect(early.code).to.equal(1);
    expect(early.err).to.include(new Date(Number(body.deadline) * 1000).toISOString());
    const { timestamp } = (await stack.chain.request("eth_getBlockByNumber", ["latest", false])) as Record<
      string,
      string
    >;
    const mineAt = async (time: number) => {
      await stack.chain.request("evm_setNextBlockTimestamp", [time]);
      await stack.chain.request("evm_mine", []);
    };
    expect(Number(timestamp)).to.be.lessThan(Number(body.deadline));
    await mineAt(Number(body.deadline));
    expect((await admin("restore", file)).code).to.equal(1);
    await mineAt(Number(body.deadline) + 1);

    const other = await startChainFixture();
    try {
      const foreign = await admin("restore", file, "--rpc", other.rpcUrl);
      expect(foreign.err).to.include("expected a node of the store's chain");
    } finally {
      await other.close();
    }
    expect(await withStore(stack, ({ sessions }) => sessions.find(sessionId))).to.not.equal(null);
    const restored = await admin("restore", file);
    expect(restored.code, restored.err).to.equal(0);
  });

  it("a restore is rejected while the service uses the database", async () => {
    const file = await backUp();
    const result = await admin("restore", file);
    expect(result.code).to.equal(1);
    expect(result.err + result.out).to.include(`process ${process.pid}`);
    expect((await stack.request("GET", "/readyz")).status).to.equal(200);
  });

  it("a restore is rejected without the chain, and changes nothing", async () => {
    const file = await backUp();
    await stop();
    const before = await withStore(stack, ({ operator }) => operator.listAudit({ subject: null, limit: 10 }));
    const result = await admin("restore", file, "--rpc", "http://127.0.0.1:1");
    expect(result.code).to.equal(3);
    expect(await withStore(stack, ({ operator }) => operator.listAudit({ subject: null, limit: 10 }))).to.deep.equal(
      before,
    );
  });

  it("a restore is rejected for damaged, foreign, missing and newer files", async () => {
    const file = await backUp();
    await stop();
    const expectRefusal = async (path: string, message: RegExp) => {
      const result = await admin("restore", path);
      expect(result.code).to.equal(1);
      expect(result.err + result.out).to.match(message);
    };
    await expectRefusal(join(folder, "absent.db"), /There is no file/);
    await writeFile(join(folder, "foreign.db"), "hello");
    await expectRefusal(join(folder, "foreign.db"), /is not a backup/);
    const bytes = await readFile(file);
    bytes.fill(0xff, 4096, bytes.length - 4096);
    await writeFile(join(folder, "damaged.db"), bytes);
    await expectRefusal(join(folder, "damaged.db"), /damaged|not a backup/);
    const database = new Database(file);
    database.prepare("insert into kysely_migration (name, timestamp) values ('9999-later', '')").run();
    database.close();
    await expectRefusal(file, /newer version \(9999-later\)/);
  });

  it("a restore creates the data folder on another machine", async () => {
    const file = await backUp();
    await stop();
    const newDataDir = join(folder, "new", "data");
    const env = {
      ARCADE_DATA_DIR: newDataDir,
      ARCADE_DEPLOYMENT: join(stack.dataDir, "deployment.json"),
      ARCADE_RPC_URL: stack.chain.rpcUrl,
    };
    const result = await callCommand(command, ["restore", file, "--json"], env);
    expect(result.code, result.err).to.equal(0);
    expect((await stat(newDataDir)).mode & 0o777).to.equal(0o700);
  });

  it("a restore creates the database when there is none", async () => {
    const file = await backUp();
    await stop();
    for (const end of ["", "-wal", "-shm"]) await rm(join(stack.dataDir, `arcade.db${end}`), { force: true });
    await mkdir(stack.dataDir, { recursive: true });
    const result = await admin("restore", file);
    expect(result.code, result.err).to.equal(0);
    expect(result.json).to.include({ replacedFile: null });
    expect((await stat(join(stack.dataDir, "arcade.db"))).mode & 0o777).to.equal(0o600);
    const app = await restart();
    await waitFor(async () => (await sendRequest(app.httpUrl, "GET", "/readyz")).status === 200);
  });
});
