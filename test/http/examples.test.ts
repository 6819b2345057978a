import { expect } from "chai";
import type { z } from "zod";
import { AGENT_STEPS } from "../../backend/http/instructions/steps.ts";
import { routes } from "../../backend/http/routes/index.ts";
import type { Route } from "../../backend/http/routing/route.ts";
import { emptyBody } from "../../backend/http/schemas/requests.ts";
import { createLocalParameters } from "../../deploy/modules/parameters.ts";
import { LOCAL_CHAIN_ID } from "../../domain/chain-ids.ts";

const table: readonly Route[] = routes;
const listExamples = ({ example, otherExamples }: Route) => Object.entries({ example, ...otherExamples });

/** The errors of a schema for a value; null if the value fits and has no field that the schema would drop. */
function findProblem(schema: z.ZodType, value: unknown): string | null {
  const result = schema.safeParse(value);
  if (!result.success) return result.error.message;
  return JSON.stringify(result.data) === undefined ? "no JSON" : null;
}

describe("the routes' examples", () => {
  for (const route of table) {
    it(`the examples of ${route.name} fit its schemas`, () => {
      for (const [name, { request, response }] of listExamples(route)) {
        if (route.method === "POST")
          expect(findProblem(route.body ?? emptyBody, request ?? {}), `${name} request`).to.equal(null);
        else expect(request, `${name} request of a GET`).to.equal(undefined);
        expect(findProblem(route.response, response), `${name} response`).to.equal(null);
        expect(route.response.parse(response), `${name} response has fields beyond its schema`).to.deep.equal(response);
      }
    });
  }

  it("a list has a second name only for clients of the first version", () => {
    const doubled: { [route: string]: readonly string[] } = {};
    for (const route of table)
      for (const { response } of listExamples(route).map(([, example]) => example)) {
        const lists = Object.entries(response as object).filter(
          ([, value]) => Array.isArray(value) && value.length > 0,
        );
        const texts = lists.map(([, list]) => JSON.stringify(list));
        const twice = lists.filter((_, index) => texts.indexOf(texts[index]!) !== index).map(([name]) => name);
        if (twice.length > 0) doubled[route.name] = twice;
      }
    expect(doubled).to.deep.equal({
      "games.catalog": ["games"],
      "market.listings": ["listings"],
      "market.visibilityMy": ["listings"],
      "rewards.payoutHistory": ["entries"],
      "sessions.live": ["sessions"],
      "sessions.my": ["sessions"],
      "stats.leaderboard": ["entries"],
    });
  });

  it("the examples have the deployed token", () => {
    const { token } = createLocalParameters({} as never);
    const shown = JSON.stringify(table.flatMap(listExamples)).match(/"name":"[^"]*","symbol":"[^"]*","decimals":\d+/g)!;
    expect(new Set(shown)).to.deep.equal(new Set([`"name":"${token.name}","symbol":"${token.symbol}","decimals":18`]));
  });

  it("the examples are on the local chain", () => {
    const chainIds = JSON.stringify(table.flatMap(listExamples)).match(/"chainId":\d+/g)!;
    expect(new Set(chainIds)).to.deep.equal(new Set([`"chainId":${LOCAL_CHAIN_ID}`]));
  });

  it("the agent's steps refer to existing examples that contain the fields to keep", () => {
    for (const { route: name, example, title, keeps = {} } of AGENT_STEPS) {
      if (name === null) continue;
      const route = table.find((one) => one.name === name);
      expect(route, title).to.not.equal(undefined);
      const shown = example === undefined ? route!.example : route!.otherExamples?.[example];
      expect(shown, `${title}: ${example}`).to.not.equal(undefined);
      for (const field of Object.values(keeps))
        expect(shown!.response, title).to.have.nested.property(field.replace(/\.(\d+)/g, "[$1]"));
    }
  });
});
