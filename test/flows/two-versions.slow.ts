import { readFileSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import { playSession, registerAgent, snapshotScore } from "../../client/index.ts";
import { findGame } from "../../games/index.ts";
import { fund, makeDrillAgent } from "../../lab/drills/support/agent.ts";
import type { ArcadeProcess, BackendProcess } from "../../lab/drills/support/process.ts";
import { type Balancer, startBalancer } from "../../scripts/fleet/balancer.ts";
import { createQuickBot } from "../fixtures/lanternlanes/bot.ts";
import { copyRepository, type RepositoryCopy } from "../helpers/copy.ts";
import { useTestFleet } from "../helpers/test-fleet.ts";
import { addGame, SLUG as NEXT_SLUG } from "../helpers/third-game.ts";
import { LivesLostError, untilItLasts } from "../helpers/until-points.ts";
import { waitUntil } from "../helpers/wait-until.ts";

const SLUG = "shellrunners";
const TICKS_PER_SECOND = findGame(SLUG)!.tickHz;
const PLANE = "backend/adapters/live-plane";
/** Log lines of a node that gets an unreadable message of another version, and of any bug. */
const MISREAD = /expected form|"level":"error"|met a bug/;

/** Everything that shows runs, scores or sessions of all games. */
const LISTS = ["games/catalog", "leaderboard", "stats/summary", "tokenomics/summary"];

/**
 * The sources of a release with one more game and another version of the messages between nodes, in which a call has
 * another name.
 */
async function copyNextVersion(): Promise<RepositoryCopy> {
  const copy = await copyRepository();
  const replace = (name: string, old: string | RegExp, by: string): void => {
    const path = copy.path(PLANE, name);
    const text = readFileSync(path, "utf8");
    const changed = text.replaceAll(old, by);
    if (changed === text) throw new Error(`${path} does not contain ${old}`);
    writeFileSync(path, changed);
  };
  replace("subjects.ts", /(?<=PLANE_VERSION = )\d+/g, "1000");
  for (const name of ["plane-messages.ts", "remote-session.ts", "hosted-session.ts"])
    replace(name, '"join"', '"enter"');
  addGame(copy);
  return copy;
}

/** The test waits for conditions. If one is never met, the timeout ends it. */
describe("a fleet of two versions", () => {
  const getFleet = useTestFleet();
  let chain: ArcadeProcess;
  let next: RepositoryCopy;
  let balancer: Balancer;
  let publicUrl: string;
  let running: readonly BackendProcess[] = [];
  before(async () => {
    const listPorts = () => running.map(({ httpUrl }) => Number(new URL(httpUrl).port));
    balancer = await startBalancer({ port: 0, whenBusy: "fail", listPorts });
    publicUrl = `http://127.0.0.1:${balancer.port}`;
    next = await copyNextVersion();
    chain = await getFleet().startFirst({ ARCADE_ROLES: "chain", ARCADE_PUBLIC_URL: publicUrl }, next.path());
  });
  after(async () => {
    await balancer?.close();
    await next?.close();
  });

  function startTwo(sources?: string): Promise<readonly BackendProcess[]> {
    const settings = { ARCADE_PUBLIC_URL: publicUrl, ARCADE_ROLES: "api,live,edge" };
    const start = (): Promise<BackendProcess> => getFleet().startOther(settings, sources);
    return Promise.all([start(), start()]);
  }

  async function registerPlayer() {
    const agent = makeDrillAgent();
    await fund({ httpUrl: publicUrl }, agent.address);
    const client = agent.connect({ httpUrl: publicUrl, rpcUrl: chain.ready.rpcUrl });
    await registerAgent({ client, agentName: "Upgrader" });
    return client;
  }

  /** Plays the game that only the next release has, and puts its score on chain. */
  async function playAddedGame(): Promise<string> {
    const client = await registerPlayer();
    const session = await client.sessions.start({ slug: NEXT_SLUG, source: "agent_api" });
    const { sessionId } = session;
    const { score } = await playSession({ client, session, bot: createQuickBot() });
    if (score === 0) throw new LivesLostError();
    expect(await snapshotScore({ client, sessionId })).to.include({ mode: "recorded", scoreDelta: score });
    return sessionId;
  }

  /** A backend that does not know the game serves everything else. */
  async function expectWithoutAddedGame({ httpUrl, output }: BackendProcess, sessionId: string): Promise<void> {
    for (const path of LISTS) {
      const response = await fetch(`${httpUrl}/api/${path}`);
      expect(response.status, path).to.equal(200);
      expect(await response.text(), path).to.not.include(NEXT_SLUG);
    }
    expect((await fetch(`${httpUrl}/api/games/${NEXT_SLUG}`)).status).to.equal(404);
    // The session's record stays readable, but its page has no game to draw it.
    expect((await fetch(`${httpUrl}/api/sessions/${sessionId}`)).status).to.equal(200);
    expect((await fetch(`${httpUrl}/runs/${sessionId}`)).status).to.be.below(500);
    const warnings = output()
      .split("\n")
      .filter((line) => line.includes(`"games":["${NEXT_SLUG}"]`));
    expect(warnings).to.have.length(1);
  }

  async function startGame() {
    const client = await registerPlayer();
    const session = await client.sessions.start({ slug: SLUG, source: "agent_api" });
    let tick = 0;
    const onFrame = (frame: { readonly tick: number }): void => {
      tick = frame.tick;
    };
    const end = playSession({ client, session, bot: findGame(SLUG)!.bots.reference(), onFrame });
    end.catch(() => undefined);
    /** Resolves after another second of the game. */
    const seeMore = async (): Promise<void> => {
      const seen = tick;
      const lost = end.then(() => Promise.reject(new LivesLostError()));
      await Promise.race([waitUntil(() => tick >= seen + TICKS_PER_SECOND), lost]);
    };
    return { client, sessionId: session.sessionId, end, seeMore };
  }

  /** Replaces two backends one by one, like a rolling deployment, during a game that starts on an old one. */
  async function replaceBackends(sources: { readonly from?: string; readonly to?: string }): Promise<void> {
    const [old, others] = await Promise.all([startTwo(sources.from), startTwo(sources.to)]);
    running = old;
    try {
      const { client, sessionId, end, seeMore } = await startGame();
      await seeMore();
      const added = sources.from === undefined ? null : await playAddedGame();
      running = [...old, ...others];
      for (const backend of old) {
        running = running.filter((one) => one !== backend);
        backend.kill("SIGTERM");
        expect(await backend.exited).to.equal(0);
        await seeMore();
      }
      await client.sessions.end({ slug: SLUG, sessionId });
      const { score } = await end;
      if (score > 0)
        expect(await snapshotScore({ client, sessionId })).to.include({ mode: "recorded", scoreDelta: score });
      for (const backend of [...old, ...others]) expect(backend.output()).to.not.match(MISREAD);
      if (added === null) await playAddedGame();
      else for (const backend of others) await expectWithoutAddedGame(backend, added);
    } finally {
      for (const backend of [...old, ...others]) backend.kill("SIGKILL");
    }
  }

  it("a game continues through a rolling upgrade, and its score counts", () =>
    untilItLasts(() => replaceBackends({ to: next.path() })));

  it("a game continues through a rollback, and its score counts", () =>
    untilItLasts(() => replaceBackends({ from: next.path() })));
});
