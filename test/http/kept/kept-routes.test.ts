import { expect } from "chai";
import { createLog } from "../../../backend/adapters/system/log.ts";
import { routes } from "../../../backend/http/routes/index.ts";
import type { Route } from "../../../backend/http/routing/route.ts";
import { addEndedSession, withStore } from "../../../testing/ended-session.ts";
import { createAgent, type Player } from "../../../testing/player.ts";
import { startTestStack, type TestStack } from "../../helpers/suite.ts";
import { type RawResponse, readRaw } from "../support/read-raw.ts";

const SLUG = "shellrunners";
const REQUEST_ID = "0190f1d5-7c4e-7abc-8def-0123456789ab";
const keptRoutes = routes.filter((route: Route) => route.kept !== undefined) as readonly Route[];

describe("the routes whose responses are kept", () => {
  it("are public reads that are limited only by address", () => {
    expect(keptRoutes.map(({ name }) => name)).to.include.members([
      ...["games.catalog", "games.runs", "sessions.live", "stats.leaderboard", "stats.summary", "stats.tokenomics"],
      ...["agent.agentInstructions", "discovery.openapi"],
    ]);
    for (const { name, method, access, limits, idempotent } of keptRoutes) {
      expect([method, access, idempotent], name).to.deep.equal(["GET", "public", undefined]);
      expect(
        limits.every(({ by, source }) => by === "ip" && source === undefined),
        name,
      ).to.equal(true);
    }
  });
});

describe("kept responses", () => {
  let stack: TestStack;
  let alice: Player;
  let lines: string[];
  before(async () => {
    lines = [];
    stack = await startTestStack({
      env: { ARCADE_RATE_LIMITS: "on" },
      log: createLog("info", (line) => lines.push(line)),
    });
    alice = await createAgent(stack, "Alice");
  });
  after(() => stack.close());
  const get = async (path: string) => {
    const { status, body } = await stack.request("GET", path);
    expect(status, JSON.stringify(body).slice(0, 300)).to.equal(200);
    return body;
  };
  const read = (path: string, headers = {}) => readRaw(stack.httpUrl + path, headers);

  async function play(score: number): Promise<void> {
    const { sessionId } = await addEndedSession(stack, { wallet: alice.address, slug: SLUG, minScore: score });
    await withStore(stack, (store) => store.sessions.setVerification(sessionId, "verified"));
  }

  it("a ready response has the same headers, log line and limits as a new one", async () => {
    const paths = ["/api/games/catalog", "/api/leaderboard?limit=3", "/skill.md", "/openapi.json"];
    for (const path of [...paths, `/api/games/${SLUG}/agent-instructions`]) {
      const headers = { "X-Request-Id": REQUEST_ID, Accept: "text/markdown", "Accept-Encoding": "br" };
      lines.length = 0;
      const made = await read(path, headers);
      const ready = await read(path, headers);
      expect(made.status, path).to.equal(200);
      expect(ready.bytes, path).to.deep.equal(made.bytes);
      const compare = (response: RawResponse) => ({ ...response.headers, date: "", ratelimit: "" });
      expect(compare(ready), path).to.deep.equal(compare(made));
      expect(ready.headers, path).to.include.keys(["content-security-policy", "access-control-allow-origin", "vary"]);
      expect(ready.headers.ratelimit, path).to.match(/^"read";r=\d+;t=\d+$/);
      const [first, second] = lines.map((line) => ({ ...JSON.parse(line), time: "", ms: 0 }));
      expect(second, path).to.deep.equal(first);
      expect(first).to.include({ requestId: REQUEST_ID, status: 200, method: "GET" });
    }
  });

  it("every response has the bytes and tag of its encoding, and its request's id in the header", async () => {
    const tags = new Set<unknown>();
    for (const encoding of ["br", "gzip", "identity"]) {
      const ask = (id: string) => read("/api/games/catalog", { "X-Request-Id": id, "Accept-Encoding": encoding });
      const [one, other] = await Promise.all([ask(REQUEST_ID), ask("short-id")]);
      expect(other.bytes).to.deep.equal(one.bytes);
      expect(other.headers.etag).to.equal(one.headers.etag);
      expect([one, other].map(({ headers }) => headers["x-request-id"])).to.deep.equal([REQUEST_ID, "short-id"]);
      tags.add(one.headers.etag);
    }
    expect(tags.size).to.equal(3);
  });

  it("304 is sent for a tag while the content is the same, for the same encoding only", async () => {
    const { headers } = await read("/api/games/catalog", { "Accept-Encoding": "br" });
    const ask = (encoding: string) =>
      read("/api/games/catalog", { "Accept-Encoding": encoding, "If-None-Match": String(headers.etag) });
    const unchanged = await ask("br");
    expect(unchanged.status).to.equal(304);
    expect(unchanged.bytes.length).to.equal(0);
    expect(unchanged.headers).to.include({ etag: headers.etag, "cache-control": "no-cache" });
    expect(unchanged.headers).to.not.have.any.keys(["content-type", "content-length", "content-encoding"]);
    expect((await ask("gzip")).status).to.equal(200);
  });

  it("a verified session, written by another process, is in the next leaderboard, summary and runs", async () => {
    for (let count = 1; count <= 3; count += 1) {
      await play(10 * count);
      expect((await get("/api/leaderboard")).items[0].sessions).to.equal(count);
      expect((await get("/api/leaderboard?period=day")).items[0].sessions).to.equal(count);
      expect((await get("/api/stats/summary")).sessions).to.equal(count);
      expect((await get(`/api/games/${SLUG}/runs`)).total).to.equal(count);
    }
  });

  it("a new name is in the next leaderboard", async () => {
    for (const agentName of ["First", "Second"]) {
      await alice.client.identity.profileUpsert({ agentName });
      expect((await get("/api/leaderboard")).items[0].agentName).to.equal(agentName);
    }
  });

  it("a session's start, play and end are in the next list of live sessions", async () => {
    const path = `/api/games/${SLUG}/sessions/live`;
    const readLive = async () => (await get(path)).items.map(({ phase }: { phase: string }) => phase);
    const bob = await createAgent(stack, "Bob");
    expect(await readLive()).to.deep.equal([]);
    const started = await bob.client.sessions.start({ slug: SLUG, source: "agent_api" });
    const { sessionId } = started;
    expect(await readLive()).to.deep.equal(["ready"]);
    expect((await get("/api/stats/summary")).liveSessions).to.equal(1);
    const socket = new WebSocket(started.wsUrl);
    await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
    /** The tick of the next frame of the running game. */
    const waitForFrame = () =>
      new Promise<number>((resolve) => {
        const onMessage = ({ data }: MessageEvent): void => {
          const { t, frame } = JSON.parse(data);
          if (t !== "frame" || frame.phase !== "running") return;
          socket.removeEventListener("message", onMessage);
          resolve(frame.tick);
        };
        socket.addEventListener("message", onMessage);
      });
    socket.send(JSON.stringify({ t: "auth", token: started.playToken }));
    for (let count = 0; count < 3; count += 1) {
      const tick = await waitForFrame();
      const session = (await get(path)).items[0];
      expect(session.phase).to.equal("running");
      expect(session.tick).to.be.at.least(tick);
    }
    await bob.client.sessions.end({ slug: SLUG, sessionId });
    expect(await readLive()).to.deep.equal([]);
    expect((await get("/api/stats/summary")).liveSessions).to.equal(0);
    socket.close();
  });
});
