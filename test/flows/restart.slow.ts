import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import {
  type ArcadeClient,
  type EndMessage,
  type HelloMessage,
  type PlayFrame,
  playSession,
  registerAgent,
  requestPayout,
  snapshotScore,
} from "../../client/index.ts";
import { findGame } from "../../games/index.ts";
import { fund, makeDrillAgent } from "../../lab/drills/support/agent.ts";
import { type ArcadeProcess, startProcess } from "../../lab/drills/support/process.ts";
import { startPostgres } from "../helpers/postgres.ts";
import { findPostgresPrograms } from "../helpers/postgres-programs.ts";
import { sendRequest } from "../helpers/suite.ts";
import { NoPointsError, untilPoints } from "../helpers/until-points.ts";

const SLUG = "flappybots";
const KILLS_MAX = 3;
const STOPS_MAX = 3;
const TICKS_PER_SECOND = findGame(SLUG)!.tickHz;

/** A promise with its `resolve` outside. */
function createLatch<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let reach: (value: T) => void = () => undefined;
  const reached = new Promise<T>((resolve) => {
    reach = resolve;
  });
  return { promise: reached, resolve: reach };
}

async function increaseChainTime(rpcUrl: string, seconds: number): Promise<void> {
  for (const [method, params] of [
    ["evm_increaseTime", [seconds]],
    ["evm_mine", []],
  ])
    await sendRequest(rpcUrl, "POST", "", { body: { jsonrpc: "2.0", id: 1, method, params } });
}

interface TestedDatabase {
  readonly env: { readonly [name: string]: string };
  remove(): Promise<void>;
}

const DATABASES: readonly { readonly name: string; prepare(): Promise<TestedDatabase> }[] = [
  { name: "SQLite", prepare: async () => ({ env: {}, remove: async () => undefined }) },
  // `npm test` reports it if PostgreSQL is not installed.
  ...(findPostgresPrograms() === null ? [] : [{ name: "PostgreSQL", prepare: preparePostgres }]),
];

/** A separate server whose commits wait for the disk. */
async function preparePostgres(): Promise<TestedDatabase> {
  const server = await startPostgres([]);
  return { env: { ARCADE_DATABASE_URL: await server.createDatabase() }, remove: () => server.stop() };
}

for (const { name, prepare } of DATABASES)
  describe(`the server process on ${name}`, () => {
    let dataDir: string;
    let database: Awaited<ReturnType<typeof prepare>>;
    let arcade: ArcadeProcess;
    const agent = makeDrillAgent();
    const stopped: ArcadeProcess[] = [];
    const bot = findGame(SLUG)!.bots.reference;

    before(async () => {
      dataDir = await mkdtemp(join(tmpdir(), "arcade-restart-"));
      database = await prepare();
      arcade = await startProcess({ dataDir, env: database.env });
    });
    after(async () => {
      for (const running of [...stopped, arcade]) running?.kill("SIGKILL");
      await arcade?.exited;
      await database?.remove();
      await rm(dataDir, { recursive: true, force: true });
    });

    /** Plays until a frame matches, and returns it. The channel stays open. */
    function playUntil(
      client: ArcadeClient,
      session: Parameters<typeof playSession>[0]["session"],
      predicate: (frame: PlayFrame) => boolean,
    ) {
      const abortController = new AbortController();
      const { promise: reached, resolve: reach } = createLatch<PlayFrame>();
      const hello = createLatch<HelloMessage>();
      const end = playSession({
        client,
        session,
        bot: bot(),
        signal: abortController.signal,
        onHello: hello.resolve,
        onFrame: (frame) => {
          if (predicate(frame)) reach(frame);
        },
      });
      end.catch(() => undefined);
      return { reached, hello: hello.promise, end, leave: () => abortController.abort(new Error("left")) };
    }

    const playForPoints = (client: ArcadeClient): Promise<EndMessage> =>
      untilPoints(async () => {
        const session = await client.sessions.start({ slug: SLUG, source: "agent_api" });
        const game = playUntil(client, session, (frame) => frame.score.current > 0);
        await Promise.race([game.reached, game.end]);
        await client.sessions.end({ slug: SLUG, sessionId: session.sessionId });
        const end = await game.end;
        if (end.score === 0) throw new NoPointsError(end.endReason);
        return end;
      });

    const readFacts = async (client: ArcadeClient) => {
      const { owned, agentId, owner } = await client.identity.ownershipStatus({ walletAddress: agent.address });
      const { score, snapshots, lastSnapshotAt, pending, byGame } = await client.rewards.scorebank({});
      const { items } = await client.rewards.payoutHistory({});
      return {
        identity: { owned, agentId, owner },
        bank: { score, snapshots, lastSnapshotAt, pending, byGame },
        payouts: items.map(({ finality: _, ...entry }) => entry),
      };
    };

    /** Kills the process in the middle of a game, and starts it again. */
    async function killInGame() {
      const client = agent.connect(arcade.ready);
      const session = await client.sessions.start({ slug: SLUG, source: "agent_api", forfeitPending: true });
      const { sessionId } = session;
      const game = playUntil(client, session, (frame) => frame.tick >= 2 * TICKS_PER_SECOND);
      const seen = await game.reached;
      arcade.kill("SIGKILL");
      await arcade.exited;
      game.leave();
      arcade = await startProcess({ dataDir, env: database.env });
      const again = agent.connect(arcade.ready);
      const { session: open } = await again.sessions.get({ slug: SLUG, sessionId });
      expect(open.phase).to.equal("paused");
      return { again, sessionId, seen, open };
    }

    it("continues a game at the same point after kill -9, with everything stored", async () => {
      const client = agent.connect(arcade.ready);
      await fund(arcade.ready, agent.address);
      await registerAgent({ client, agentName: "Survivor" });
      const confirmed = await playForPoints(client);
      await snapshotScore({ client, sessionId: confirmed.sessionId });
      await increaseChainTime(arcade.ready.rpcUrl, 6);
      const outcome = await requestPayout({ client });
      expect(outcome.paid).to.equal(true);
      const before = await readFacts(client);
      expect(before.payouts).to.have.length(1);

      let killed = await killInGame();
      expect(await readFacts(killed.again)).to.deep.equal(before);
      const { session: restored } = await killed.again.sessions.get({ slug: SLUG, sessionId: confirmed.sessionId });
      expect(restored).to.include({ phase: "ended", score: confirmed.score, endReason: confirmed.endReason });
      const countLost = (): number => killed.seen.tick - killed.open.tick;
      // Storing once a second takes a moment. A kill in that moment loses slightly more.
      for (let kills = 1; countLost() > TICKS_PER_SECOND && kills < KILLS_MAX; kills += 1) {
        await killed.again.sessions.end({ slug: SLUG, sessionId: killed.sessionId });
        killed = await killInGame();
      }
      expect(countLost(), "ticks lost").to.be.at.most(TICKS_PER_SECOND);

      const { again, sessionId, seen, open } = killed;
      const resumed = playUntil(again, { slug: SLUG, sessionId }, (frame) => frame.tick > seen.tick + 5);
      expect(await resumed.hello).to.include({ resumed: true, tick: open.tick });
      await Promise.race([resumed.reached, resumed.end]);
      await again.sessions.end({ slug: SLUG, sessionId });
      const end = await resumed.end;
      if (end.score > 0) {
        const snapshot = await snapshotScore({ client: again, sessionId });
        expect(snapshot).to.include({ mode: "recorded", scoreDelta: end.score });
      }
    });

    /** Stops the process in the middle of a game. Returns its last answer; null if its port was closed. */
    async function stopInGame() {
      const client = agent.connect(arcade.ready);
      const session = await client.sessions.start({ slug: SLUG, source: "agent_api", forfeitPending: true });
      const socket = new WebSocket(session.wsUrl);
      const closed = new Promise<CloseEvent>((resolve) => socket.addEventListener("close", resolve));
      const firstMessage = createLatch<void>();
      socket.addEventListener("message", () => firstMessage.resolve());
      socket.addEventListener("open", () => socket.send(JSON.stringify({ t: "auth", token: session.playToken })));
      await firstMessage.promise;

      arcade.kill("SIGTERM");
      expect(await closed).to.include({ code: 1012, reason: "SERVER_RESTART" });
      const { httpUrl } = arcade.ready;
      const start = { body: { source: "browser_ws" } };
      const answers = await Promise.all([
        sendRequest(httpUrl, "GET", "/readyz"),
        sendRequest(httpUrl, "POST", `/api/games/${SLUG}/sessions/start`, start),
      ]).catch(() => null);
      expect(await arcade.exited).to.equal(0);

      arcade = await startProcess({ dataDir, env: database.env });
      const again = agent.connect(arcade.ready);
      const { session: open } = await again.sessions.get({ slug: SLUG, sessionId: session.sessionId });
      expect(open.phase).to.equal("paused");
      await again.sessions.end({ slug: SLUG, sessionId: session.sessionId });
      return answers;
    }

    it("drains at SIGTERM with 503 at /readyz, 1012 to players and exit code 0, and continues the game after the restart", async () => {
      let answers = await stopInGame();
      // The port stays open for a second, which may be too short for this test on a busy machine.
      for (let stops = 1; answers === null && stops < STOPS_MAX; stops += 1) answers = await stopInGame();
      const [readyz, rejected] = answers!;
      expect(readyz.status).to.equal(503);
      expect(readyz.body.ready).to.equal(false);
      expect(rejected.body).to.include({ code: "SHUTTING_DOWN", retryable: true });
      expect(rejected.headers.get("retry-after")).to.match(/^\d+$/);
    });

    it("fails with a message when the configured port is busy", async () => {
      const portHolder = createServer();
      await new Promise<void>((resolve) => portHolder.listen(0, "127.0.0.1", resolve));
      const { port } = portHolder.address() as { port: number };
      arcade.kill("SIGINT");
      expect(await arcade.exited).to.equal(0);
      try {
        for (const name of ["ARCADE_RPC_PORT", "ARCADE_PORT"]) {
          const startError = await startProcess({ dataDir, env: { [name]: String(port) } }).then(
            (started) => stopped.push(started),
            (error: Error) => error.message,
          );
          expect(startError)
            .to.match(/ended with 1/)
            .and.include(String(port))
            .and.include(name);
        }
      } finally {
        portHolder.close();
      }
    });

    it("deletes all data with --fresh", async () => {
      arcade = await startProcess({ dataDir, args: ["--fresh"] });
      const client = agent.connect(arcade.ready);
      const walletAddress = agent.address;
      expect(await client.identity.ownershipStatus({ walletAddress })).to.include({ owned: false, agentId: null });
      const live = await sendRequest(arcade.ready.httpUrl, "GET", `/api/games/${SLUG}/sessions/live`);
      expect(live.body.total).to.equal(0);
      expect(await client.rewards.scorebank({})).to.include({ score: 0, snapshots: 0 });
    });
  });
