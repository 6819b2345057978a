import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { routes } from "../../backend/http/routes/index.ts";
import type { Route } from "../../backend/http/routing/route.ts";
import { createAgent, type Player } from "../../testing/player.ts";
import { useShared } from "../helpers/fixture.ts";
import { expectProblem } from "../helpers/problem.ts";
import { useTestStack } from "../helpers/suite.ts";
import { SHOWN_BY } from "./support/shown-elsewhere.ts";
import { createRouteTester } from "./support/watch-routes.ts";

const SEED = 20_260_101;
const RANDOM_BODIES = 40;
/** JSON texts of values that a parsed body can have but canonical JSON (RFC 8785) cannot. */
const NOT_CANONICAL = ["1e999", "-1e999", '"\\ud800"', '{"\\udfff":1}', '[1e400,{"a":"\\udc00"}]'];

describe("an Idempotency-Key", () => {
  const stack = useTestStack();
  const player = useShared(() => createAgent(stack));

  const track = (body: string, key: string) =>
    stack.request("POST", "/api/events/track", { body, headers: { "Idempotency-Key": key } });

  async function post(route: Route, body: string) {
    const path = route.path.replace("{slug}", "shellrunners");
    const headers = { "Idempotency-Key": randomUUID() };
    return stack.request("POST", path, { body, headers, token: await player.getAccessToken() });
  }

  /** Bodies of a route with one strange value each, and bodies with only strange values. */
  function listBodies(route: Route): readonly string[] {
    const example = JSON.parse(JSON.stringify(route.example.request ?? {})) as { [field: string]: unknown };
    if ("walletAddress" in example) example.walletAddress = player.address;
    const fields = [...Object.keys(example), "metadata", "extra"];
    const withValue = (field: string, json: string): string =>
      JSON.stringify({ ...example, [field]: "@value@" }).replace('"@value@"', () => json);
    const random = fc.sample(fc.jsonValue({ maxDepth: 3, stringUnit: "binary" }), {
      seed: SEED,
      numRuns: RANDOM_BODIES,
    });
    return [
      ...fields.flatMap((field) => NOT_CANONICAL.map((json) => withValue(field, json))),
      ...random.map((value, index) => withValue(fields[index % fields.length]!, JSON.stringify(value))),
      ...NOT_CANONICAL,
    ];
  }

  it("accepts every body that JSON allows, and compares it with the first request's", async () => {
    const body = '{"event":"big","metadata":{"n":1e999,"text":"\\ud800"}}';
    const key = randomUUID();
    expect((await track(body, key)).status).to.equal(202);
    expect((await track('{"metadata":{"text":"\\ud800","n":1e999},"event":"big"}', key)).status).to.equal(202);
    expectProblem(await track(body.replace("1e999", "1"), key), "IDEMPOTENCY_CONFLICT");
    expectProblem(await track(body.replace("d800", "d801"), key), "IDEMPOTENCY_CONFLICT");
  });

  for (const route of routes.filter(({ idempotent }) => idempotent)) {
    it(`never makes ${route.name} fail with an internal error, whatever the body contains`, async () => {
      for (const body of listBodies(route)) {
        const response = await post(route, body);
        expect(response.status, `${body} ${JSON.stringify(response.body)}`).to.be.lessThan(500);
      }
    });
  }

  describe("at the start of a session", () => {
    const api = createRouteTester(() => stack);
    api.checkShownAfterAll(SHOWN_BY.idempotency);

    const start = async (agent: Player, key: string, body: object = {}) =>
      api.call("sessions.start", {
        params: { slug: "shellrunners" },
        token: await agent.getAccessToken(),
        body: { source: "agent_api", ...body },
        headers: { "Idempotency-Key": key },
      });

    it("an Idempotency-Key returns the same session with a new play token, and stores no token", async () => {
      const agent = await createAgent(stack);
      const first = await start(agent, "start-1");
      const again = await start(agent, "start-1");
      expect(again.body.sessionId).to.equal(first.body.sessionId);
      expect(again.body.playToken).to.match(/^ap_/).and.not.equal(first.body.playToken);
      const rejected = await start(agent, "start-1", { forfeitPending: true });
      expect(rejected.body.code).to.equal("IDEMPOTENCY_CONFLICT");
      expect((await start(agent, "start-2")).body.code).to.equal("SESSION_ACTIVE");
      // Another caller's key is a different key.
      const other = await start(await createAgent(stack), "start-1");
      expect(other.status, JSON.stringify(other.body)).to.equal(200);
      expect(other.body.sessionId).to.not.equal(first.body.sessionId);
      for (const file of ["arcade.db", "arcade.db-wal"]) {
        const bytes = readFileSync(join(stack.dataDir, file));
        for (const { playToken } of [first.body, again.body])
          expect(bytes.includes(playToken), `${file} holds a play token`).to.equal(false);
      }
      await agent.client.sessions.end({ slug: "shellrunners", sessionId: first.body.sessionId });
      const late = await start(agent, "start-1");
      expect(late.body).to.include({ code: "SESSION_ENDED", sessionId: first.body.sessionId });
      expect((await start(agent, "start-2")).status, "the key of a request that failed").to.equal(200);
    });

    it("requests at the same time with one Idempotency-Key get one session", async () => {
      const agent = await createAgent(stack);
      const responses = await Promise.all(Array.from({ length: 10 }, () => start(agent, "at-once")));
      const codes = new Set(responses.map(({ body }) => body.code));
      codes.delete(undefined);
      codes.delete("IDEMPOTENCY_IN_PROGRESS");
      expect([...codes]).to.deep.equal([]);
      const ids = responses.flatMap(({ status, body }) => (status === 200 ? [body.sessionId] : []));
      expect(new Set(ids).size).to.equal(1);
    });

    it("a malformed Idempotency-Key is rejected", async () => {
      for (const key of ["x".repeat(65), "with space"])
        expect((await start(player, key)).body.code, key).to.equal("VALIDATION_FAILED");
    });
  });
});
