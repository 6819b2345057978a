import { expect } from "chai";
import { createClient, playSession } from "../../client/index.ts";
import { findGame } from "../../games/index.ts";
import { useTestStack } from "../helpers/suite.ts";

const SLUG = "flappybots";

describe("a practice with lockstep", () => {
  const start = (body: object) => stack.request("POST", `/api/games/${SLUG}/sessions/start`, { body });
  const step = (sessionId: string, token: string, body: object) =>
    stack.request("POST", `/api/games/${SLUG}/sessions/${sessionId}/step`, { token, body });
  const startLockstep = async () => (await start({ source: "browser_ws", lockstep: true })).body;

  const stack = useTestStack();

  it("is played to points with HTTP only: each request makes its ticks and returns the frame", async () => {
    const { sessionId, practiceToken } = await startLockstep();
    const bot = findGame(SLUG)!.bots.reference();
    let { frame } = (await step(sessionId, practiceToken, {})).body;
    expect(frame).to.include({ phase: "running", tick: 1 });
    const events: string[] = [];
    while (frame.score.current < 3) {
      const { status, body } = await step(sessionId, practiceToken, { move: bot(frame) });
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body.frame.tick).to.equal(frame.tick + 1);
      frame = body.frame;
      events.push(...body.events.map(({ event }: { event: string }) => event));
    }
    // The seed decides which of the two comes first. One of them gives points.
    expect(events.filter((event) => event === "collected" || event === "gate_passed")).to.not.deep.equal([]);
    expect((await step(sessionId, practiceToken, { ticks: 7 })).body.frame.tick).to.equal(frame.tick + 7);
  });

  it("ends with its game, and reports it", async () => {
    const { sessionId, practiceToken } = await startLockstep();
    let body = (await step(sessionId, practiceToken, { ticks: 100 })).body;
    while (body.frame.phase !== "ended") body = (await step(sessionId, practiceToken, { ticks: 100 })).body;
    expect(body.frame.lives).to.equal(0);
    const late = await step(sessionId, practiceToken, {});
    expect(late.body).to.include({ ok: false, code: "SESSION_ENDED" });
  });

  it("makes one tick for each move over the WebSocket, even if the bot has none", async () => {
    const client = createClient({ baseUrl: stack.httpUrl });
    for (const slug of ["flappybots", "shellrunners"]) {
      const session = await client.sessions.start({ slug, source: "browser_ws", lockstep: true });
      const ticks: number[] = [];
      await playSession({
        client,
        session,
        bot: async (frame) => {
          ticks.push(frame.tick);
          if (ticks.length === 6)
            await client.sessions.end({ slug, sessionId: session.sessionId }, { token: session.practiceToken! });
          return null;
        },
      });
      expect(ticks.slice(0, 6)).to.deep.equal([0, 1, 2, 3, 4, 5]);
    }
  });

  it("is rejected for ranked play, and a real-time session makes no steps", async () => {
    const ranked = await start({ source: "agent_api", lockstep: true });
    expect(ranked.body).to.include({ code: "VALIDATION_FAILED" });
    const { sessionId, practiceToken } = (await start({ source: "browser_ws" })).body;
    expect((await step(sessionId, practiceToken, {})).body).to.include({ code: "SESSION_NOT_LOCKSTEP" });
  });

  it("accepts only moves of its game, and only from its player", async () => {
    const { sessionId, practiceToken } = await startLockstep();
    for (const body of [{ move: { t: "input", dir: "left" } }, { move: { t: "fly" } }, { ticks: 101 }, { ticks: 0 }])
      expect((await step(sessionId, practiceToken, body)).body.code, JSON.stringify(body)).to.equal(
        "VALIDATION_FAILED",
      );
    const other = await startLockstep();
    expect((await step(sessionId, other.practiceToken, {})).body.code).to.equal("SESSION_NOT_FOUND");
  });
});
