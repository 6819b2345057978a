import { expect } from "chai";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import type { ArcadeError } from "../../domain/errors.ts";
import { SESSION_LIMITS } from "../../domain/limits/limits.ts";
import { useEach } from "../helpers/fixture.ts";
import { startLiveTestServer } from "./live-suite.ts";

describe("the admission of sessions", () => {
  const testServer = useEach(() => startLiveTestServer({ sessionsMax: 4, limitPerIp: true }));

  /** Null if the session may start. */
  function getRejection(source: "agent_api" | "browser_ws", ip: string): string | null {
    try {
      testServer.game.registry.admit({ source, ip })();
      return null;
    } catch (error) {
      return (error as ArcadeError).code;
    }
  }
  const startAgent = (ip: string) => testServer.startSession({}, ip);
  const startPractice = (ip: string, wallet: SessionRow["wallet"] = null) =>
    testServer.startSession({ source: "browser_ws", wallet, agentId: null, agentName: null }, ip);
  const getEndReason = async ({ sessionId }: SessionRow) => {
    // Until its end is stored, if it has one.
    while (testServer.game.registry.get(sessionId)?.phase === "ended") await testServer.advance(50);
    return (await testServer.game.find(sessionId))!.endReason;
  };

  it("a full process ends practice of the network that has most, for a ranked session and for practice of one that has two fewer", async () => {
    const played = await startPractice("10.0.1.1");
    await testServer.join("play", played);
    const [abandoned, other] = [await startPractice("10.0.1.1"), await startPractice("10.0.2.1")];
    expect(getRejection("browser_ws", "10.0.1.2"), "one place is left").to.equal(null);
    const ranked = await startAgent("10.0.1.3");
    const reasons = () => Promise.all([played, abandoned, other, ranked].map(getEndReason));
    // 10.0.1 has two practices and 10.0.2 has one.
    expect(["10.0.1.2", "10.0.2.2"].map((ip) => getRejection("browser_ws", ip))).to.deep.equal([
      "SERVER_FULL",
      "SERVER_FULL",
    ]);
    expect(getRejection("browser_ws", "10.0.3.1")).to.equal(null);
    expect(await reasons(), "before a session opens").to.deep.equal([null, null, null, null]);
    await startPractice("10.0.3.1", `0x${"11".repeat(20)}`);
    expect(await reasons()).to.deep.equal([null, "yielded", null, null]);
    // Each network has one.
    expect(getRejection("browser_ws", "10.0.4.1")).to.equal("SERVER_FULL");
    expect(getRejection("agent_api", "10.0.4.1")).to.equal(null);
    await startAgent("10.0.4.1");
    expect(await reasons()).to.deep.equal(["yielded", "yielded", null, null]);
  });

  it("a process full of ranked sessions rejects every start, and ends none", async () => {
    const agents = await Promise.all(["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"].map(startAgent));
    expect([getRejection("agent_api", "10.0.0.9"), getRejection("browser_ws", "10.0.0.9")]).to.deep.equal([
      "SERVER_FULL",
      "SERVER_FULL",
    ]);
    expect(await Promise.all(agents.map(getEndReason))).to.deep.equal([null, null, null, null]);
  });

  it("a place is reserved from the admission of a session until it is released", async () => {
    const { registry } = testServer.game;
    const releases = ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"].map((ip) =>
      registry.admit({ source: "browser_ws", ip }),
    );
    expect(getRejection("browser_ws", "10.0.0.9")).to.equal("SERVER_FULL");
    releases[0]!();
    expect(getRejection("browser_ws", "10.0.0.9")).to.equal(null);
  });

  it("each address may have two practice sessions with connected players", async () => {
    for (let i = 0; i < SESSION_LIMITS.practicePerIp; i += 1)
      await testServer.join("play", await startPractice("10.0.0.1"));
    expect(getRejection("browser_ws", "10.0.0.1")).to.equal("RATE_LIMITED");
    expect(getRejection("agent_api", "10.0.0.1")).to.equal(null);
    expect(getRejection("browser_ws", "10.0.0.2")).to.equal(null);
  });

  it("a practice without a connected player yields to the next practice of its address", async () => {
    const abandoned = await startPractice("10.0.0.1");
    const played = await startPractice("10.0.0.1");
    await testServer.join("play", played);
    expect(getRejection("browser_ws", "10.0.0.1")).to.equal(null);
    await startPractice("10.0.0.1");
    expect([await getEndReason(abandoned), await getEndReason(played)]).to.deep.equal(["yielded", null]);
  });
});

describe("the running sessions of one address", () => {
  it("an address may have five sessions at once", async () => {
    const testServer = await startLiveTestServer({ limitPerIp: true });
    try {
      const { registry } = testServer.game;
      for (let i = 0; i < SESSION_LIMITS.perIp; i += 1) await testServer.startSession({}, "10.0.0.1");
      expect(() => registry.admit({ source: "agent_api", ip: "10.0.0.1" })).to.throw("at most 5 running sessions");
      registry.admit({ source: "agent_api", ip: "10.0.0.2" });
    } finally {
      await testServer.stop();
    }
  });
});
