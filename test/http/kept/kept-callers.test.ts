import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { z } from "zod";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import { createLog } from "../../../backend/adapters/system/log.ts";
import { routes } from "../../../backend/http/routes/index.ts";
import type { Route } from "../../../backend/http/routing/route.ts";
import { createHttpApp } from "../../../backend/http/server/app.ts";
import { createLimiter } from "../../../backend/rate-limits/limiter.ts";
import { LIMITS } from "../../../domain/limits/limits.ts";
import { createChangingVersions } from "../../helpers/changing-versions.ts";
import { readRaw } from "../support/read-raw.ts";

const keptRoutes = routes.filter((route: Route) => route.kept !== undefined) as readonly Route[];

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
    handle: async ({ ip, peer, caller, requestId, isMarkdownAccepted }: Parameters<Route["handle"]>[0]) => {
      seen.push({ ip, peer, caller, requestId, isMarkdownAccepted });
      return { n: 1 };
    },
  } as unknown as Route;
  const createPrivate = (method: "GET" | "POST") => ({
    ...spy,
    ...{ name: `spy.${method}`, method, path: "/private", access: "optional", limits: [], kept: undefined },
    response: z.object({ text: z.string() }),
    handle: async () => ({ text: "private ".repeat(200) }),
  });
  const limiter = createLimiter({ monotonicMs: () => 0 }, true);
  const { listener } = createHttpApp({
    routes: [spy, createPrivate("GET"), createPrivate("POST")] as unknown as Route[],
    services: { catalog: { games: [] }, errorLog: { add() {} } } as never,
    versions: createChangingVersions(),
    limiter,
    idempotency: {} as never,
    index: {} as never,
    clock: systemClock,
    log: createLog("silent"),
    checkResponses: true,
    trustProxy: 1,
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

  it("has a handler that does not know the caller", async () => {
    const personal = { Authorization: "Bearer aa_x", "X-Forwarded-For": "10.1.2.3", Accept: "application/x-mine" };
    await readRaw(url, personal);
    await readRaw(url, personal);
    const peer = { address: "", forwarded: false, token: null };
    expect(seen).to.deep.equal([{ ip: "", peer, caller: null, requestId: "", isMarkdownAccepted: false }]);
  });

  it("leaves caching and tags to public reads, and compression to reads", async () => {
    for (const [method, encoding] of [
      ["GET", "br"],
      ["POST", undefined],
    ] as const) {
      const { headers } = await readRaw(url.replace("/spy", "/private"), { "Accept-Encoding": "br" }, method);
      expect(headers["content-encoding"], method).to.equal(encoding);
      expect([headers["cache-control"], headers.etag], method).to.deep.equal(["no-store", undefined]);
    }
  });

  it("returns the usual error to a caller over its limit", async () => {
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
