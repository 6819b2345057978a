import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { Client } from "pg";
import { type ArcadeClient, playSession, registerAgent, snapshotScore } from "../../client/index.ts";
import { LIMITS } from "../../domain/limits/limits.ts";
import { findGame } from "../../games/index.ts";
import { type DrillAgent, fund, makeDrillAgent } from "../../lab/drills/support/agent.ts";
import { type ArcadeProcess, type BackendProcess, startBackend } from "../../lab/drills/support/process.ts";
import { useTestFleet } from "../helpers/test-fleet.ts";
import { LivesLostError, untilItLasts } from "../helpers/until-points.ts";
import { waitUntil } from "../helpers/wait-until.ts";

const SLUG = "shellrunners";
const TICKS_PER_SECOND = findGame(SLUG)!.tickHz;
const POLL_MS = 50;
const KILLS_MAX = 3;

type PlayedSession = Parameters<typeof playSession>[0]["session"];

/** Plays until a tick is seen; the channel stays open. */
async function playTo(client: ArcadeClient, session: PlayedSession, tick: number) {
  const leave = new AbortController();
  const seen = { tick: 0 };
  let reach = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const end = playSession({
    client,
    session,
    bot: findGame(SLUG)!.bots.reference(),
    signal: leave.signal,
    onFrame: (frame) => {
      seen.tick = frame.tick;
      if (frame.tick >= tick) reach();
    },
  });
  end.catch(() => undefined);
  await Promise.race([reached, end]);
  return { seen, end, leave: () => leave.abort(new Error("left")) };
}

/** The tests wait for conditions. If one is never met, the timeout ends them. */
describe("two backends on one PostgreSQL", () => {
  const getFleet = useTestFleet();
  let first: ArcadeProcess;
  before(async () => {
    first = await getFleet().startFirst();
  });

  const connect = (agent: DrillAgent, { httpUrl }: { readonly httpUrl: string }) =>
    agent.connect({ httpUrl, rpcUrl: first.ready.rpcUrl });

  /** An agent whose session runs on `backend`, with two seconds played. */
  async function startGame(backend: BackendProcess) {
    const agent = makeDrillAgent();
    await fund(first.ready, agent.address);
    const client = connect(agent, backend);
    await registerAgent({ client, agentName: "Traveler" });
    const session = await client.sessions.start({ slug: SLUG, source: "agent_api" });
    return { agent, session, game: await playTo(client, session, 2 * TICKS_PER_SECOND) };
  }

  /** Waits until the first backend hosts the session; returns its tick there. Throws `LivesLostError`. */
  async function waitUntilTaken(client: ArcadeClient, sessionId: string): Promise<number> {
    for (;;) {
      const { session } = await client.sessions.get({ slug: SLUG, sessionId });
      if (session.phase === "paused") return session.tick;
      if (session.endReason === "lives_lost") throw new LivesLostError();
      await sleep(POLL_MS);
    }
  }

  /** Continues the session on the first backend, ends it and puts its score on chain. */
  async function finish(client: ArcadeClient, sessionId: string, fromTick: number): Promise<void> {
    const game = await playTo(client, { slug: SLUG, sessionId }, fromTick + 2 * TICKS_PER_SECOND);
    await client.sessions.end({ slug: SLUG, sessionId });
    const end = await game.end;
    if (end.score === 0) return;
    expect(await snapshotScore({ client, sessionId })).to.include({ mode: "recorded", scoreDelta: end.score });
  }

  /** Kills a backend during a game, which the first one takes over. `lost`: ticks that the player has seen. */
  async function killAndTakeOver() {
    const second = await getFleet().startOther();
    const { agent, session, game } = await startGame(second);
    const client = connect(agent, first.ready);
    const { sessionId } = session;
    second.kill("SIGKILL");
    await second.exited;
    game.leave();
    const tick = await waitUntilTaken(client, sessionId);
    return { client, sessionId, tick, lost: game.seen.tick - tick };
  }

  async function killOne(): Promise<void> {
    let taken = await killAndTakeOver();
    // Storing once a second takes a moment. A kill in that moment loses slightly more.
    for (let kills = 1; taken.lost > TICKS_PER_SECOND && kills < KILLS_MAX; kills += 1) taken = await killAndTakeOver();
    expect(taken.lost, "ticks lost").to.be.at.most(TICKS_PER_SECOND);
    await finish(taken.client, taken.sessionId, taken.tick);
  }

  async function stopOne(): Promise<void> {
    const second = await getFleet().startOther();
    const { agent, session, game } = await startGame(second);
    const client = connect(agent, first.ready);
    second.kill("SIGTERM");
    const tick = await waitUntilTaken(client, session.sessionId);
    game.leave();
    expect(tick).to.be.at.least(game.seen.tick);
    expect(await second.exited).to.equal(0);
    await finish(client, session.sessionId, tick);
  }

  async function holdOneUp(): Promise<void> {
    const second = await getFleet().startOther();
    const { agent, session, game } = await startGame(second);
    const client = connect(agent, first.ready);
    const { sessionId } = session;
    second.kill("SIGSTOP");
    game.leave();
    const tick = await waitUntilTaken(client, sessionId);
    const before = await playTo(client, { slug: SLUG, sessionId }, tick + TICKS_PER_SECOND);
    second.kill("SIGCONT");
    // It drops the game, and stays with a new lease.
    await waitUntil(() => second.output().includes("this node has joined the others again"));
    expect(second.output()).to.include("the lease of this node has run out");
    const { session: view } = await client.sessions.get({ slug: SLUG, sessionId });
    if (view.endReason === "lives_lost") throw new LivesLostError();
    expect(view).to.include({ phase: "running" });
    expect(view.tick).to.be.at.least(before.seen.tick - 1);
    before.leave();
    await finish(client, sessionId, view.tick);
    const { sessionId: next } = await connect(agent, second).sessions.start({ slug: SLUG, source: "browser_ws" });
    expect((await client.sessions.get({ slug: SLUG, sessionId: next })).session.phase).to.equal("ready");
    second.kill("SIGTERM");
    expect(await second.exited).to.equal(0);
  }

  it("continue the games of a killed one, whose players connect to the other", () => untilItLasts(killOne));

  it("lose no tick of a game when one is stopped by SIGTERM", () => untilItLasts(stopOne));

  it("accept nothing from one that continues after a suspension longer than its lease", () => untilItLasts(holdOneUp));

  it("name their processes in the table of nodes", async () => {
    const second = await getFleet().startOther();
    const database = new Client({ connectionString: getFleet().env.ARCADE_DATABASE_URL });
    await database.connect();
    const { rows } = await database.query("select distinct url from nodes").finally(() => database.end());
    const urls = rows.map(({ url }: { url: string }) => url);
    expect(urls.length).to.be.at.least(2);
    for (const url of urls) expect(url).to.match(/^http:\/\/[^/]+:\d+\/#\d+$/);
    second.kill("SIGTERM");
    await second.exited;
  });

  it("show a run of one in the other's cached board and list of runs", async () => {
    const second = await getFleet().startOther();
    const { agent, session, game } = await startGame(second);
    const { sessionId } = session;
    const hasRun = async (path: string): Promise<boolean> =>
      (await (await fetch(first.ready.httpUrl + path)).text()).includes(sessionId);
    const paths = [`/api/games/${SLUG}/runs`, "/api/leaderboard"];
    for (const path of paths) expect(await hasRun(path), path).to.equal(false);
    await connect(agent, second).sessions.end({ slug: SLUG, sessionId });
    await game.end;
    for (const path of paths) await waitUntil(() => hasRun(path));
  });

  it("let an address refresh tokens as often as with one backend", async () => {
    const startLimited = () => getFleet().startOther({ ARCADE_RATE_LIMITS: "on" });
    const limited = [await startLimited(), await startLimited()];
    const [{ limit, windowSeconds }] = LIMITS.refresh;
    const startedMs = performance.now();
    const refresh = async (httpUrl: string): Promise<number> => {
      const body = JSON.stringify({ refreshToken: "0".repeat(64) });
      const headers = { "Content-Type": "application/json" };
      return (await fetch(`${httpUrl}/api/games/${SLUG}/auth/refresh`, { method: "POST", headers, body })).status;
    };
    const statuses: number[] = [];
    // Each backend alone would allow `limit`.
    for (let count = 0; count < limit; count += 1)
      for (const { httpUrl } of limited) statuses.push(await refresh(httpUrl));
    const refilled = Math.ceil(((performance.now() - startedMs) / 1000) * (limit / windowSeconds));
    expect([...new Set(statuses)], "a wrong token, or over the limit").to.have.members([401, 429]);
    expect(statuses.filter((status) => status !== 429).length).to.be.within(limit, limit + refilled);
  });

  it("reject one without ARCADE_NATS_URL, which reports why", async () => {
    const { dataDir, env } = getFleet();
    const { ARCADE_NATS_URL: _, ...envWithoutNats } = env;
    const started = startBackend({ dataDir, rpcUrl: first.ready.rpcUrl, env: envWithoutNats });
    const failure = await started.then(
      () => "it started",
      (error: Error) => error.message,
    );
    expect(failure).to.match(/works on this database, and this one has no ARCADE_NATS_URL/);
    expect(failure).to.not.include(env.ARCADE_DATABASE_URL);
  });
});
