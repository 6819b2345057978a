/** A backup with PostgreSQL's tools beside a running service, and its restore. */
import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { expect } from "chai";
import { openStore } from "../../backend/adapters/store/open-store.ts";
import { type App, startApp } from "../../backend/app/app.ts";
import { readConfig, readSecrets } from "../../backend/config/config.ts";
import { getServiceKeys } from "../../backend/config/service-keys.ts";
import type { Store } from "../../backend/ports/store/store.ts";
import { type ArcadeClient, createClient, playSession, snapshotScore } from "../../client/index.ts";
import { findGame } from "../../games/index.ts";
import { command } from "../../scripts/admin.ts";
import { findPostgresPrograms } from "../../scripts/fleet/programs.ts";
import { createAgent, type Player } from "../../testing/player.ts";
import { silentLog } from "../adapters/chain/chain-fixture.ts";
import { callCommand } from "../helpers/commands.ts";
import { usePostgres } from "../helpers/postgres.ts";
import { startTestStack, type TestStack } from "../helpers/suite.ts";

const SLUG = "flappybots";

const runProgram = promisify(execFile);
const callPostgres = (program: "pg_dump" | "pg_restore", ...args: readonly string[]) =>
  runProgram(join(findPostgresPrograms()!, program), args);

describe("a backup of PostgreSQL", () => {
  const getServer = usePostgres();
  let databaseUrl: string;
  let stack: TestStack;
  let player: Player;
  let isStopped = false;
  let restarted: App | null = null;
  before(async () => {
    databaseUrl = await getServer().createDatabase();
    stack = await startTestStack({ env: { ARCADE_DATABASE_URL: databaseUrl } });
    player = await createAgent(stack);
  });
  after(async () => {
    await restarted?.close();
    if (!isStopped) await stack.app.close();
    await stack.chain.close();
    await rm(stack.dataDir, { recursive: true, force: true });
  });

  const settle = (url: string, ...args: readonly string[]) =>
    callCommand(command, ["store", "settle", ...args, "--json"], {
      ARCADE_DATA_DIR: stack.dataDir,
      ARCADE_DATABASE_URL: url,
      ARCADE_RPC_URL: stack.chain.rpcUrl,
      NO_COLOR: "1",
    });

  async function withStore<T>(url: string, run: (store: Store) => Promise<T>): Promise<T> {
    const store = await openStore({ databaseUrl: url });
    return run(store).finally(() => store.close());
  }

  async function start(url: string): Promise<App> {
    const environment = { ARCADE_DATA_DIR: stack.dataDir, ARCADE_DATABASE_URL: url, ARCADE_PORT: "0" };
    restarted = await startApp({
      config: readConfig({ ...environment, ARCADE_DEMO_AGENTS: "off" }),
      keys: getServiceKeys(readSecrets(environment)),
      rpcUrl: stack.chain.rpcUrl,
      deployment: stack.deployment,
      log: silentLog,
      webDir: null,
    });
    return restarted;
  }

  /** Plays until there are points, calls `onPoints`, and ends the session. Returns its id. */
  async function play(client: ArcadeClient, onPoints: (sessionId: string) => Promise<void>): Promise<string> {
    const session = await client.sessions.start({ slug: SLUG, source: "agent_api" });
    const { sessionId } = session;
    let score = 0;
    const bot = findGame(SLUG)!.bots.reference();
    const onFrame = (frame: { readonly score: { readonly current: number } }): void => {
      score = frame.score.current;
    };
    const game = playSession({ client, session, bot, onFrame });
    while (score < 1) await sleep(20);
    await onPoints(sessionId);
    await client.sessions.end({ slug: SLUG, sessionId });
    await game;
    return sessionId;
  }

  it("is made while the service runs; after a restore nothing is counted again", async () => {
    const file = join(stack.dataDir, "arcade.dump");
    const sessionId = await play(player.client, async (open) => {
      // The recorder stores a running session once a second.
      const isRecorded = () =>
        withStore(databaseUrl, async ({ sessions }) => ((await sessions.find(open))?.score ?? 0) > 0);
      while (!(await isRecorded())) await sleep(50);
      await callPostgres("pg_dump", "--format=custom", `--file=${file}`, databaseUrl);
    });
    await snapshotScore({ client: player.client, sessionId });
    const { score } = await player.client.rewards.scorebank();
    const refused = await settle(databaseUrl);
    expect(refused.code).to.equal(1);
    expect(refused.err + refused.out).to.include("stop all of them first");
    isStopped = true;
    await stack.app.close();

    const restoredUrl = await getServer().createDatabase();
    await callPostgres("pg_restore", "--exit-on-error", "--no-owner", `--dbname=${restoredUrl}`, file);
    const open = await withStore(restoredUrl, ({ sessions }) => sessions.listOpen());
    expect(open.map((row) => row.sessionId)).to.deep.equal([sessionId]);
    const settled = await settle(restoredUrl, "--replaced", databaseUrl);
    expect(settled.code, settled.err).to.equal(0);
    expect(settled.json).to.deep.include({ ok: true, closedSessions: 1, repeatedChanges: 0, lostChanges: [] });

    const app = await start(restoredUrl);
    const client = createClient({ baseUrl: app.httpUrl, wallet: player.wallet });
    const { session } = await client.sessions.get({ slug: SLUG, sessionId });
    expect(session).to.include({ phase: "ended", endReason: "server_restart" });
    expect(session.snapshot.state).to.equal("forfeited");
    expect(await client.rewards.scorebank()).to.deep.include({ score, pending: [] });
    // The number of the next session is above the one that only the chain had.
    const next = await play(client, async () => undefined);
    expect((await snapshotScore({ client, sessionId: next })).mode).to.equal("recorded");
    const row = await withStore(restoredUrl, ({ sessions }) => sessions.find(next));
    expect(row?.sequence).to.equal(3n);
  });
});
