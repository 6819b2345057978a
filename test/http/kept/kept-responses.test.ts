import { expect } from "chai";
import { z } from "zod";
import { KeptResponses } from "../../../backend/http/kept/kept-responses.ts";
import { routes } from "../../../backend/http/routes/index.ts";
import { HttpResponse, type Route } from "../../../backend/http/routing/route.ts";
import type { Versions } from "../../../backend/ports/versions.ts";

const keptRoutes = routes.filter((route: Route) => route.kept !== undefined) as readonly Route[];

describe("the store of kept responses", () => {
  const versions = { standings: 1, runs: 1, league: 1, live: 1, chain: "1", day: 1 };
  const source: Versions = {
    standings: () => versions.standings,
    runs: () => versions.runs,
    league: () => versions.league,
    live: () => versions.live,
    chain: () => versions.chain,
    day: () => versions.day,
  };
  const route = { ...keptRoutes[0]!, kept: ["standings", "day"], response: z.object({}) } as Route;
  const respond = (n: number): HttpResponse => new HttpResponse(200, { n });
  const readNumber = async (made: ReturnType<KeptResponses["findOrMake"]>): Promise<number> =>
    JSON.parse((await (await made).body.encode(null)).toString()).n;

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

  it("does not serve data read before a change, however long the response takes to make", async () => {
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

  it("serves the last response while the database is unavailable, and makes a new one afterward", async () => {
    let isAway = false;
    const kept = new KeptResponses(source, () => isAway);
    const find = (n: number) => readNumber(kept.findOrMake("/a", route, async () => respond(n)));
    expect(await find(1)).to.equal(1);
    versions.standings += 1;
    // The database fails before that is known.
    const fail = () => kept.findOrMake("/a", route, () => Promise.reject(new Error("no")));
    expect(await fail().catch((error: Error) => error.message)).to.equal("no");
    isAway = true;
    expect([await find(2), await readNumber(fail())]).to.deep.equal([1, 1]);
    expect(kept.find("/a")).to.not.equal(null);
    isAway = false;
    expect(kept.find("/a")).to.equal(null);
    expect(await find(3)).to.equal(3);
  });

  it("keeps no failures, and only a bounded number of the most recently used responses", async () => {
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
});
