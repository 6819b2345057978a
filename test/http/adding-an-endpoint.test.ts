import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect } from "chai";
import { z } from "zod";
import { listen } from "../../backend/adapters/node/listen.ts";
import { systemClock } from "../../backend/adapters/system/clock.ts";
import { createLog } from "../../backend/adapters/system/log.ts";
import { createOpenApiDocument } from "../../backend/http/openapi/document.ts";
import { routes } from "../../backend/http/routes/index.ts";
import { defineRoute, type Route } from "../../backend/http/routing/route.ts";
import { gameParams } from "../../backend/http/schemas/requests.ts";
import { createHttpApp } from "../../backend/http/server/app.ts";
import { createLimiter } from "../../backend/rate-limits/limiter.ts";
import { createRequestSender } from "../../client/http.ts";
import { LIMITS } from "../../domain/limits/limits.ts";
import { renderClientRoutes, toClientRoute } from "../../scripts/dev/docs/client-routes.ts";
import { createChangingVersions } from "../helpers/changing-versions.ts";
import { expectProblem } from "../helpers/problem.ts";
import { type ApiResponse, sendRequest, startTestStack, type TestStack } from "../helpers/suite.ts";

/** The file: word for word what docs/adding-an-endpoint.md shows. */
const gamesTiers = defineRoute({
  name: "games.tiers",
  method: "GET",
  path: "/api/games/{slug}/tiers",
  summary: "The tiers of a game's NFT",
  access: "public",
  limits: LIMITS.publicRead,
  params: gameParams,
  query: z.strictObject({ above: z.coerce.number<number>().int().min(0).default(0) }),
  response: z.object({ tiers: z.array(z.object({ tier: z.int(), name: z.string(), minScore: z.int() })) }),
  example: { response: { tiers: [{ tier: 1, name: "Bronze", minScore: 100 }] } },
  services: ["catalog"],
  handle: async ({ params, query }, { catalog }) => ({
    tiers: catalog.get(params.slug).nft.tiers.filter(({ minScore }) => minScore > query.above),
  }),
});

const broken: Route = {
  ...gamesTiers,
  name: "games.broken",
  path: "/api/games/:slug/broken",
  handle: async () => ({ tiers: null }),
};
const table: readonly Route[] = [...routes, gamesTiers, broken];

describe("an endpoint that is one file and one line", () => {
  let stack: TestStack;
  let server: Server;
  let baseUrl: string;
  before(async () => {
    stack = await startTestStack();
    const clock = systemClock;
    const { listener } = createHttpApp({
      routes: table,
      services: stack.app.services,
      versions: createChangingVersions(),
      limiter: createLimiter(clock, true),
      idempotency: {} as never,
      index: {} as never,
      clock,
      log: createLog("silent"),
      checkResponses: true,
      draining: () => false,
      trustProxy: 0,
      isLocal: true,
      deployment: stack.deployment,
      publicUrl: () => baseUrl,
      rpcUrl: null,
      browserRpcUrl: null,
      webDir: null,
    });
    server = createServer(listener);
    const port = await listen(server, { port: 0, host: "127.0.0.1", whenBusy: "fail", portVariable: "ARCADE_PORT" });
    baseUrl = `http://127.0.0.1:${port}`;
  });
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await stack.close();
  });

  const get = (path: string): Promise<ApiResponse> => sendRequest(baseUrl, "GET", path);

  it("the definition is the one that the guide shows", () => {
    const guide = readFileSync(new URL("../../docs/adding-an-endpoint.md", import.meta.url), "utf8");
    const own = readFileSync(new URL(import.meta.url), "utf8");
    const definition = /defineRoute\(\{\n[\s\S]*?\n\}\);\n/;
    expect(definition.exec(guide)![0]).to.equal(definition.exec(own)![0]);
  });

  it("the route responds in the envelope, with limits", async () => {
    const response = await get("/api/games/FLAPPY/tiers?above=200");
    expect(response.status).to.equal(200);
    expect(response.body).to.include({ ok: true });
    expect(response.body.tiers.length).to.be.greaterThan(1);
    expect(response.headers.get("ratelimit-policy")).to.include('"read"');
    expect(response.headers.get("etag")).to.be.a("string");
  });

  it("the route rejects what its schemas do not know", async () => {
    expectProblem(await get("/api/games/tetris/tiers"), "GAME_NOT_FOUND");
    expectProblem(await get("/api/games/flappybots/tiers?above=-1"), "VALIDATION_FAILED");
    expectProblem(await get("/api/games/flappybots/tiers?below=1"), "UNKNOWN_FIELD");
    expectProblem(await sendRequest(baseUrl, "POST", "/api/games/flappybots/tiers"), "METHOD_NOT_ALLOWED");
  });

  it("a response that the schema does not allow is an error on the local chain", async () => {
    expectProblem(await get("/api/games/flappybots/broken"), "INTERNAL");
  });

  it("the route is in the OpenAPI document and on the pages", async () => {
    const { body } = await get("/openapi.json");
    const operation = body.paths["/api/games/{slug}/tiers"].get;
    expect(operation.operationId).to.equal("games.tiers");
    expect(operation["x-error-codes"]).to.include.members(["GAME_NOT_FOUND", "VALIDATION_FAILED", "RATE_LIMITED"]);
    expect(operation.parameters.map(({ name }: { name: string }) => name)).to.deep.equal(["slug", "above"]);
    expect((await new Validator().validate(createOpenApiDocument(table, "/") as never)).valid).to.equal(true);
    expect((await get("/docs/reference")).body).to.include('id="games.tiers"');
  });

  it("the client's generated row calls the route", async () => {
    const call = createRequestSender(baseUrl, (url, init) => fetch(url, init));
    const response = await call({
      route: toClientRoute(gamesTiers),
      input: { slug: "shellrunners", above: 1000 },
      token: null,
      idempotencyKey: null,
    });
    expect(response).to.have.nested.property("tiers[0].minScore").that.is.greaterThan(1000);
    expect(renderClientRoutes([gamesTiers])).to.include('"games.tiers": { method: "GET"');
  });
});
