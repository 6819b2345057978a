import { once } from "node:events";
import { expect } from "chai";
import { WebSocket } from "ws";
import { type ArcadeClient, playSession, registerAgent, snapshotScore } from "../../client/index.ts";
import { findGame } from "../../games/index.ts";
import { fund, makeDrillAgent } from "../../lab/drills/support/agent.ts";
import type { ArcadeProcess, BackendProcess } from "../../lab/drills/support/process.ts";
import { useTestFleet } from "../helpers/test-fleet.ts";
import { LivesLostError, untilItLasts } from "../helpers/until-points.ts";
import { waitUntil } from "../helpers/wait-until.ts";

const SLUG = "shellrunners";

interface Viewer {
  readonly ws: WebSocket;
  /** The messages since the socket was opened, in order of arrival. */
  readonly texts: string[];
  readonly closed: Promise<string>;
}

/** Watches a session through the client's backend. */
async function watch(client: ArcadeClient, sessionId: string): Promise<Viewer> {
  const { token, wsUrl } = await client.sessions.spectateTokenPublic({ slug: SLUG, sessionId });
  const ws = new WebSocket(wsUrl, { perMessageDeflate: false });
  const texts: string[] = [];
  ws.on("message", (data) => texts.push(String(data)));
  const closed = new Promise<string>((resolve) => ws.on("close", (_, reason) => resolve(String(reason))));
  await once(ws, "open");
  ws.send(JSON.stringify({ t: "auth", token }));
  return { ws, texts, closed };
}

const getTick = (text: string | undefined): number => {
  const message = JSON.parse(text ?? "{}") as { readonly frame?: { readonly tick: number } };
  return message.frame?.tick ?? -1;
};

/** The tests wait for conditions. If one is never met, the timeout ends them. */
describe("a player and viewers on another backend than their session", () => {
  const getFleet = useTestFleet();
  let first: ArcadeProcess;
  let second: BackendProcess;
  before(async () => {
    first = await getFleet().startFirst();
    second = await getFleet().startOther();
  });

  const readPlaneCheck = async (): Promise<string | undefined> => {
    const response = await fetch(`${first.ready.httpUrl}/readyz`);
    const { checks } = (await response.json()) as { checks: { readonly name: string; readonly sentence: string }[] };
    return checks.find(({ name }) => name === "live")?.sentence;
  };

  async function outlastNats(): Promise<void> {
    const agent = makeDrillAgent();
    await fund(first.ready, agent.address);
    const { rpcUrl } = first.ready;
    const there = agent.connect({ httpUrl: second.httpUrl, rpcUrl });
    await registerAgent({ client: there, agentName: "Commuter" });
    const { sessionId } = await there.sessions.start({ slug: SLUG, source: "agent_api" });
    const here = agent.connect({ httpUrl: first.ready.httpUrl, rpcUrl });
    const [near, far] = [await watch(there, sessionId), await watch(here, sessionId)];
    let hellos = 0;
    const end = playSession({
      client: here,
      session: { slug: SLUG, sessionId },
      bot: findGame(SLUG)!.bots.reference(),
      onHello: () => {
        hellos += 1;
      },
    });
    end.catch(() => undefined);
    /** Waits while the game continues. Throws `LivesLostError`. */
    const playUntil = (condition: () => boolean): Promise<void> =>
      Promise.race([
        waitUntil(condition),
        end.then(() => {
          throw new LivesLostError();
        }),
      ]);
    const [nearTick, farTick] = [() => getTick(near.texts.at(-1)), () => getTick(far.texts.at(-1))];
    await playUntil(() => farTick() >= 40);

    const { nats } = getFleet();
    await nats.kill();
    await waitUntil(async () => (await readPlaneCheck())?.startsWith("degraded: ") ?? false);
    expect((await fetch(`${first.ready.httpUrl}/readyz`)).status).to.equal(200);
    await nats.start();
    await waitUntil(async () => (await readPlaneCheck()) === "fine");
    await playUntil(() => hellos >= 2);
    const resumedTick = nearTick();
    await playUntil(() => farTick() >= resumedTick + 40);

    const { session } = await here.sessions.end({ slug: SLUG, sessionId });
    expect(session).to.include({ phase: "ended", endReason: "ended_by_player" });
    expect((await end).score).to.equal(session.score);
    expect([await near.closed, await far.closed]).to.deep.equal(["GAME_OVER", "GAME_OVER"]);
    const from = (texts: readonly string[]) => texts.slice(texts.findIndex((text) => getTick(text) > resumedTick + 10));
    expect(from(far.texts).length).to.be.greaterThan(20);
    expect(from(far.texts)).to.deep.equal(from(near.texts));
    expect(far.texts.slice(1).filter((text) => !near.texts.includes(text))).to.deep.equal([]);
    if (session.score > 0)
      expect(await snapshotScore({ client: here, sessionId })).to.include({ scoreDelta: session.score });
  }

  it("play to the end and snapshot, see what local viewers see, and outlast a restart of NATS", () =>
    untilItLasts(outlastNats));
});
