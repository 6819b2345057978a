import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect } from "chai";
import { z } from "zod";
import { systemClock } from "../../backend/adapters/clock.ts";
import { makeLimiter } from "../../backend/adapters/limiter/memory.ts";
import { makeLog } from "../../backend/adapters/log.ts";
import { makeHttpApp } from "../../backend/http/app.ts";
import { makeDocuments } from "../../backend/http/docs.ts";
import { LIMITS } from "../../backend/http/limits.ts";
import { listen } from "../../backend/http/listen.ts";
import { openApiDocument } from "../../backend/http/openapi.ts";
import { defineRoute, type Route } from "../../backend/http/route.ts";
import { routes } from "../../backend/http/routes/index.ts";
import { gameParams } from "../../backend/http/schemas.ts";
import { makeExchange } from "../../client/http.ts";
import { clientDocument, clientRow } from "../../scripts/docs/client.ts";
import { expectProblem } from "../helpers/problem.ts";
import { type Answer, type Suite, sendRequest, startSuite } from "../helpers/suite.ts";

/** The file: word for word what docs/adding-an-endpoint.md shows. */
const gamesTiers = defineRoute({
  name: "games.tiers",
  method: "GET",
  path: "/api/games/{slug}/tiers",
  summary: "The tiers of a game's NFT",
  access: "public",
  limits: LIMITS.publicRead,
  params: gameParams,
  query: z.strictObject({ above: z.coerce.number().int().min(0).default(0) }),
  response: z.object({ tiers: z.array(z.object({ tier: z.int(), name: z.string(), minScore: z.int() })) }),
  errors: ["GAME_NOT_FOUND"],
  handle: async ({ params, query }, { catalog }) => ({
    tiers: catalog.get(params.slug).nft.tiers.filter(({ minScore }) => minScore > query.above),
  }),
});

/** The line. */
const table: readonly Route[] = [...routes, gamesTiers];

describe("an endpoint that is one file and one line", () => {
  let suite: Suite;
  let server: Server;
  let baseUrl: string;
  before(async () => {
    suite = await startSuite();
    const clock = systemClock;
    const documents = makeDocuments({
      routes: table,
      isLocal: true,
      slugs: ["shellrunners", "flappybots"],
      publicUrl: () => baseUrl,
      wsUrl: () => "",
    });
    const app = makeHttpApp({
      routes: table,
      services: { ...suite.app.services, documents },
      limiter: makeLimiter(clock, true),
      idempotency: {} as never,
      clock,
      log: makeLog("silent"),
      checkResponses: true,
      draining: () => false,
      trustProxy: false,
      isLocal: true,
      webDir: null,
    });
    server = createServer(app);
    const port = await listen(server, { port: 0, host: "127.0.0.1", insist: true });
    baseUrl = `http://127.0.0.1:${port}`;
  });
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await suite.close();
  });

  const get = (path: string): Promise<Answer> => sendRequest(baseUrl, "GET", path);

  it("is the one that the document shows", () => {
    const guide = readFileSync(new URL("../../docs/adding-an-endpoint.md", import.meta.url), "utf8");
    const own = readFileSync(new URL(import.meta.url), "utf8");
    const definition = /defineRoute\(\{\n[\s\S]*?\n\}\);\n/;
    expect(definition.exec(guide)![0]).to.equal(definition.exec(own)![0]);
  });

  it("answers in the envelope, with limits", async () => {
    const answer = await get("/api/games/FLAPPY/tiers?above=200");
    expect(answer.status).to.equal(200);
    expect(answer.body).to.include({ ok: true, requestId: answer.headers.get("x-request-id") });
    expect(answer.body.tiers.length).to.be.greaterThan(1);
    expect(answer.headers.get("ratelimit-policy")).to.include('"read"');
    expect(answer.headers.get("etag")).to.be.a("string");
  });

  it("refuses what its schemas do not know", async () => {
    expectProblem(await get("/api/games/tetris/tiers"), "GAME_NOT_FOUND");
    expectProblem(await get("/api/games/flappybots/tiers?above=-1"), "VALIDATION_FAILED");
    expectProblem(await get("/api/games/flappybots/tiers?below=1"), "UNKNOWN_FIELD");
    expectProblem(await sendRequest(baseUrl, "POST", "/api/games/flappybots/tiers"), "METHOD_NOT_ALLOWED");
  });

  it("stands in the OpenAPI document, on the pages and in llms.txt", async () => {
    const { body } = await get("/openapi.json");
    const operation = body.paths["/api/games/{slug}/tiers"].get;
    expect(operation.operationId).to.equal("games.tiers");
    expect(operation["x-error-codes"]).to.include.members(["GAME_NOT_FOUND", "VALIDATION_FAILED", "RATE_LIMITED"]);
    expect(operation.parameters.map(({ name }: { name: string }) => name)).to.deep.equal(["slug", "above"]);
    expect((await new Validator().validate(openApiDocument(table, "/") as never)).valid).to.equal(true);
    expect((await get("/docs")).body).to.include('id="games.tiers"');
  });

  it("has a method of the client, typed", async () => {
    const call = makeExchange(baseUrl, (url, init) => fetch(url, init));
    const answer = await call({
      route: clientRow(gamesTiers),
      input: { slug: "shellrunners", above: 1000 },
      token: null,
      idempotencyKey: null,
    });
    expect(answer).to.have.nested.property("tiers[0].minScore").that.is.greaterThan(1000);
    const text = clientDocument([gamesTiers], {});
    expect(text).to.match(/tiers: \{\s*method: "GET"/);
    expect(text.replaceAll(/\s+/g, " ")).to.include("{ readonly slug: string } & { readonly above?: number }");
    expect(text.replaceAll(/\s+/g, " ")).to.include("readonly minScore: number");
  });
});
