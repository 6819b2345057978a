import { expect } from "chai";
import { playSession, spectate } from "../../client/index.ts";
import { findGame } from "../../games/index.ts";
import { createAgent } from "../../testing/player.ts";
import { startTestStack, useTestStack } from "../helpers/suite.ts";

describe("the service's own agents", () => {
  interface Listed {
    readonly sessionId: string;
    readonly demo?: true;
    readonly agentName: string | null;
    readonly source: string;
  }
  const list = async (slug: string, name: "live" | "demo"): Promise<readonly Listed[]> =>
    (await stack.request("GET", `/api/games/${slug}/sessions/${name}`)).body.items;
  /** The lists of agents' and of demo sessions. */
  const listLive = async (slug: string) => {
    const [live, demo] = [await list(slug, "live"), await list(slug, "demo")];
    expect([live.every(({ demo }) => demo === undefined), demo.every(({ demo }) => demo)]).to.deep.equal([true, true]);
    return [...live, ...demo];
  };
  /** Polls until the list is as expected. */
  async function waitForLive(slug: string, isExpected: (list: Awaited<ReturnType<typeof listLive>>) => boolean) {
    for (;;) {
      const list = await listLive(slug);
      if (isExpected(list)) return list;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  const stack = useTestStack({ env: { ARCADE_DEMO_AGENTS: "on" } });

  it("play both games when the service is ready, are labeled, and can be watched", async () => {
    for (const slug of ["shellrunners", "flappybots"]) {
      const [session, ...more] = await listLive(slug);
      expect(more).to.deep.equal([]);
      expect(session).to.include({ demo: true, agentName: "Demo agent", source: "browser_ws" });
    }
    const { client } = await createAgent(stack, "Viewer");
    const [session] = await listLive("flappybots");
    const leave = new AbortController();
    const ticks: number[] = [];
    await spectate({
      client,
      slug: "flappybots",
      sessionId: session!.sessionId,
      signal: leave.signal,
      onFrame: ({ phase, tick }) => {
        if (phase === "running" && ticks.push(tick) === 3) leave.abort(new Error("seen enough"));
      },
    }).catch((error: Error) => expect(error.message).to.equal("seen enough"));
    expect(ticks[2]! - ticks[0]!).to.be.above(0);
  });

  it("do not count for boards or figures", async () => {
    const { body: board } = await stack.request("GET", "/api/leaderboard?game=flappybots");
    expect(board.items).to.deep.equal([]);
    const { body: stats } = await stack.request("GET", "/api/stats/summary?game=flappybots");
    expect(stats.liveSessions ?? stats.summary?.liveSessions ?? 0).to.equal(0);
  });

  it("stop when an agent plays, and return when it has left", async () => {
    const { client } = await createAgent(stack, "Pinch");
    const started = await client.sessions.start({ slug: "flappybots", source: "agent_api" });
    const list = await waitForLive("flappybots", (sessions) => sessions.every(({ demo }) => demo === undefined));
    expect(list.map(({ sessionId }) => sessionId)).to.deep.equal([started.sessionId]);
    expect((await listLive("shellrunners"))[0]).to.include({ demo: true });
    const bot = findGame("flappybots")!.bots.reference();
    let isLeaving = false;
    await playSession({
      client,
      session: started,
      bot,
      onFrame: ({ score }) => {
        if (score.current === 0 || isLeaving) return;
        isLeaving = true;
        void client.sessions.end({ slug: "flappybots", sessionId: started.sessionId });
      },
    });
    await waitForLive("flappybots", (sessions) => sessions.some(({ demo }) => demo === true));
  });

  it("are off if the service has few places", async () => {
    const small = await startTestStack({ env: { ARCADE_DEMO_AGENTS: "on", ARCADE_SESSIONS_MAX: "1" } });
    try {
      const { body } = await small.request("POST", "/api/games/flappybots/sessions/start", {
        body: { source: "browser_ws" },
      });
      expect(body.ok, JSON.stringify(body)).to.equal(true);
    } finally {
      await small.close();
    }
  });
});
