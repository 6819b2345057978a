import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { z } from "zod";
import { systemClock } from "../../backend/adapters/system/clock.ts";
import { createLog } from "../../backend/adapters/system/log.ts";
import { routes } from "../../backend/http/routes/index.ts";
import type { Route } from "../../backend/http/routing/route.ts";
import { createHttpApp, type HttpApp } from "../../backend/http/server/app.ts";
import { Steps } from "../../backend/http/server/steps.ts";
import { createLimiter } from "../../backend/rate-limits/limiter.ts";
import { createChangingVersions } from "../helpers/changing-versions.ts";

const PATHS = ["/a", "/b", "/c"];

/** An app of routes that only answer. `onRead` is called when a route's path is read. */
function createApp(onRead: () => void = () => undefined): HttpApp {
  const [route] = routes.filter(({ access, method }) => access === "public" && method === "GET");
  const spies = PATHS.map((path, n) => ({
    ...route!,
    name: `spy.${n}`,
    params: undefined,
    query: undefined,
    kept: undefined,
    services: [],
    response: z.object({}),
    handle: async () => ({}),
    get path() {
      onRead();
      return path;
    },
  }));
  return createHttpApp({
    routes: spies as unknown as readonly Route[],
    services: { catalog: { games: [] }, errorLog: { add() {} } } as never,
    versions: createChangingVersions(),
    limiter: createLimiter(systemClock, true),
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
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("steps", () => {
  const taken: number[] = [];
  function* count(failAt = Number.NaN): Generator<void, void> {
    for (let n = 1; n <= 4; n++) {
      taken.push(n);
      if (n === failAt) throw new Error(`step ${n}`);
      yield;
    }
  }
  beforeEach(() => taken.splice(0));

  it("run one per turn, and the remaining ones at once when they are needed", async () => {
    const steps = new Steps(count());
    steps.spread();
    expect(taken).to.deep.equal([1]);
    await nextTurn();
    expect(taken).to.deep.equal([1, 2]);
    steps.finish();
    steps.finish();
    await nextTurn();
    expect(taken).to.deep.equal([1, 2, 3, 4]);
  });

  it("are not repeated after a failed one, and fail again", () => {
    const steps = new Steps(count(2));
    for (let time = 1; time <= 2; time++) expect(() => steps.finish()).to.throw("step 2");
    expect(taken).to.deep.equal([1, 2]);
  });
});

describe("the routes of Express", () => {
  let server: Server;
  afterEach(() => server?.close());

  const start = async (app: HttpApp, isPrepared = true): Promise<string> => {
    server = createServer(app.listener);
    if (isPrepared) app.prepareWhenListening(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  it("are compiled after the server listens, one in each turn, without a request", async () => {
    let reads = 0;
    const app = createApp(() => {
      reads += 1;
    });
    await nextTurn();
    const readsBefore = reads;
    await start(app);
    const seen: number[] = [];
    for (let turn = 0; turn < 2 * PATHS.length; turn++) {
      seen.push(reads - readsBefore);
      await nextTurn();
    }
    expect(seen.every((count, turn) => turn === 0 || count - seen[turn - 1]! <= 1)).to.equal(true);
    expect(reads - readsBefore).to.equal(PATHS.length);
  });

  it("serve a request that comes before they are compiled", async () => {
    const url = await start(createApp(), false);
    for (const path of ["/a/", "/B"]) expect((await fetch(url + path)).status, path).to.equal(200);
    const { status, headers } = await fetch(`${url}/c`, { method: "PUT" });
    expect([status, headers.get("allow")]).to.deep.equal([405, "GET, OPTIONS"]);
    expect((await fetch(`${url}/d`)).status).to.equal(404);
  });
});
