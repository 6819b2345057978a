import { once } from "node:events";
import { createServer, type Server, request as sendHttp } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect } from "chai";
import { z } from "zod";
import { systemClock } from "../../backend/adapters/clock.ts";
import { createLimiter } from "../../backend/adapters/limiter.ts";
import { createLog } from "../../backend/adapters/log.ts";
import { LIMITS } from "../../backend/domain/limits/limits.ts";
import { createHttpApp } from "../../backend/http/app.ts";
import { createEnvelopeBody } from "../../backend/http/kept/kept-body.ts";
import { KeptResponses } from "../../backend/http/kept/kept-responses.ts";
import { HttpResponse, type Route } from "../../backend/http/route.ts";
import { routes } from "../../backend/http/routes/index.ts";
import type { Versions } from "../../backend/ports/versions.ts";
import { createChangingVersions } from "../helpers/changing-versions.ts";
import { createAgent, type Player } from "../helpers/player.ts";
import { startTestStack, type TestStack } from "../helpers/suite.ts";
import { addEndedSession, withStore } from "./support/plant-session.ts";

const SLUG = "shellrunners";
const REQUEST_ID = "0190f1d5-7c4e-7abc-8def-0123456789ab";
const keptRoutes = routes.filter((route: Route) => route.kept !== undefined) as readonly Route[];

interface RawResponse {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly bytes: Buffer;
}

/** Without the headers and the decompression that `fetch` adds. */
const readRaw = (url: string, headers = {}, method = "GET"): Promise<RawResponse> =>
  new Promise((resolve, reject) => {
    sendHttp(url, { headers, method }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode!, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    })
      .on("error", reject)
      .end();
  });

describe("the routes whose responses are kept", () => {
  it("are public reads that are limited by address only", () => {
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
  const read = (path: string, headers = {}, method = "GET") => readRaw(stack.httpUrl + path, headers, method);

  async function play(score: number): Promise<void> {
    const { sessionId } = await addEndedSession(stack, { wallet: alice.address, slug: SLUG, minScore: score });
    await withStore(stack, (store) => store.sessions.setVerification(sessionId, "verified"));
  }

  it("a response that is ready has the headers, the log line and the limits of one that is made", async () => {
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

  it("every response has the id of its own request, in the header and in the body", async () => {
    for (const encoding of ["br", "gzip", "identity"]) {
      for (const id of [REQUEST_ID, "short-id", "another-id-of-another-length"]) {
        const { headers, bytes } = await read("/api/games/catalog", {
          "X-Request-Id": id,
          "Accept-Encoding": encoding,
        });
        const unpack = { br: brotliDecompressSync, gzip: gunzipSync }[String(headers["content-encoding"])];
        const body = JSON.parse((unpack === undefined ? bytes : unpack(bytes)).toString());
        expect(body).to.include({ ok: true, requestId: id });
        expect(headers["x-request-id"]).to.equal(id);
        expect(String(headers.etag)).to.include(id);
      }
    }
    const [one, other] = await Promise.all([get("/api/games/catalog"), get("/api/games/catalog")]);
    expect(one.requestId).to.not.equal(other.requestId);
  });

  it("304 is sent for a tag of any request while the content is the same, for the same encoding only", async () => {
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

  it("HEAD has the headers of GET and no body", async () => {
    const [head, whole] = [await read("/api/games/catalog", {}, "HEAD"), await read("/api/games/catalog")];
    expect(head.bytes.length).to.equal(0);
    expect(head.headers["content-length"]).to.equal(whole.headers["content-length"]);
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

  it("start, play and end of a session are in the next list of live sessions", async () => {
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

describe("the store of kept responses", () => {
  const versions = { standings: 1, sessions: 1, live: 1, chain: "1", day: 1 };
  const source: Versions = {
    standings: () => versions.standings,
    sessions: () => versions.sessions,
    live: () => versions.live,
    chain: () => versions.chain,
    day: () => versions.day,
  };
  const route = { ...keptRoutes[0]!, kept: ["standings", "day"], response: z.object({}) } as Route;
  const respond = (n: number): HttpResponse => new HttpResponse(200, { n });
  const readNumber = async (made: ReturnType<KeptResponses["findOrMake"]>): Promise<number> =>
    JSON.parse((await (await made).body.encode(null, REQUEST_ID)).toString()).n;

  it("makes a response once, and again after each change of one of its facts", async () => {
    const kept = new KeptResponses(source);
    let made = 0;
    const make = async (): Promise<HttpResponse> => {
      made += 1;
      return respond(made);
    };
    const find = () => readNumber(kept.findOrMake("/a", route, make));
    expect([await find(), await find()]).to.deep.equal([1, 1]);
    versions.live += 1;
    expect(await find()).to.equal(1);
    versions.standings += 1;
    expect(kept.find("/a")).to.equal(null);
    expect([await find(), await find()]).to.deep.equal([2, 2]);
    versions.day += 1;
    expect(await find()).to.equal(3);
  });

  it("does not serve what was read before a change, however long its making takes", async () => {
    const kept = new KeptResponses(source);
    const finishers: (() => void)[] = [];
    const make = (n: number) => () => new Promise<HttpResponse>((resolve) => finishers.push(() => resolve(respond(n))));
    const early = readNumber(kept.findOrMake("/a", route, make(1)));
    const joined = readNumber(kept.findOrMake("/a", route, make(2)));
    versions.standings += 1;
    const late = readNumber(kept.findOrMake("/a", route, make(3)));
    expect(finishers.length).to.equal(2);
    for (const finish of finishers.reverse()) finish();
    expect(await Promise.all([early, joined, late])).to.deep.equal([1, 1, 3]);
    expect(await readNumber(Promise.resolve(kept.find("/a")!))).to.equal(3);
  });

  it("keeps no failure, and a bounded number of responses, the least recently used ones least", async () => {
    const kept = new KeptResponses(source);
    const failing = kept.findOrMake("/a", route, () => Promise.reject(new Error("no")));
    expect(await failing.catch((error: Error) => error.message)).to.equal("no");
    for (let n = 0; n < 1000; n += 1) {
      await kept.findOrMake(`/${n}`, route, async () => respond(n));
      kept.find("/0");
    }
    expect(kept.find("/0")).to.not.equal(null);
    expect(kept.find("/1")).to.equal(null);
    expect(kept.find("/999")).to.not.equal(null);
  });

  it("joins the id with bodies of every size and script in every encoding", async () => {
    for (let size = 20; size < 300; size += 7) {
      const items = Array.from({ length: size }, (_, n) => ({ n, name: `Agent ${n % 9} läuft`, hash: n * 7919 }));
      const body = createEnvelopeBody({ items, requestId2: REQUEST_ID });
      for (const id of [REQUEST_ID, crypto.randomUUID()]) {
        const expected = JSON.stringify({ ok: true, requestId: id, items, requestId2: REQUEST_ID });
        expect((await body.encode(null, id)).toString()).to.equal(expected);
        expect(gunzipSync(await body.encode("gzip", id)).toString()).to.equal(expected);
        expect(brotliDecompressSync(await body.encode("br", id)).toString()).to.equal(expected);
      }
    }
  });
});

describe("a kept route", () => {
  const seen: object[] = [];
  const spy = {
    ...keptRoutes[0]!,
    path: "/spy",
    params: undefined,
    query: undefined,
    services: [],
    kept: [],
    response: z.object({ n: z.int() }),
    handle: async ({ ip, peer, caller, requestId, accept }: Parameters<Route["handle"]>[0]) => {
      seen.push({ ip, peer, caller, requestId, accept });
      return { n: 1 };
    },
  } as unknown as Route;
  const limiter = createLimiter({ monotonicMs: () => 0 }, true);
  const listener = createHttpApp({
    routes: [spy],
    services: { catalog: { games: [] }, errorLog: { add() {} } } as never,
    versions: createChangingVersions(),
    limiter,
    idempotency: {} as never,
    clock: systemClock,
    log: createLog("silent"),
    checkResponses: true,
    trustProxy: true,
    isLocal: true,
    deployment: {} as never,
    publicUrl: () => "http://127.0.0.1",
    rpcUrl: null,
    browserRpcUrl: null,
    webDir: null,
  });
  let server: Server;
  let url: string;
  before(async () => {
    server = createServer(listener).listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/spy`;
  });
  after(() => server.close());

  it("has a handler that does not learn who asks", async () => {
    const personal = { Authorization: "Bearer aa_x", "X-Forwarded-For": "10.1.2.3", Accept: "application/x-mine" };
    await readRaw(url, personal);
    await readRaw(url, personal);
    const peer = { address: "", forwarded: false, token: null };
    expect(seen).to.deep.equal([{ ip: "", peer, caller: null, requestId: "", accept: "" }]);
  });

  it("gives a caller over its limit the error that every route gives", async () => {
    const headers = { "X-Forwarded-For": "10.9.9.9" };
    const { limit } = LIMITS.publicRead[0];
    for (let count = 1; count <= limit; count += 1) {
      const { status, headers: received } = await readRaw(url, headers);
      expect([status, received.ratelimit]).to.deep.equal([200, `"read";r=${limit - count};t=${Math.ceil(count / 5)}`]);
    }
    const rejected = await readRaw(url, headers);
    expect(rejected.status).to.equal(429);
    expect(JSON.parse(rejected.bytes.toString())).to.include({ code: "RATE_LIMITED", limit });
    expect(rejected.headers["retry-after"]).to.equal("1");
    expect((await readRaw(url, { "X-Forwarded-For": "10.9.9.8" })).status).to.equal(200);
  });
});
