import { expect } from "chai";
import { games } from "../../backend/games/index.ts";
import { routes } from "../../backend/http/routes/index.ts";
import { type Suite, startSuite } from "../helpers/suite.ts";
import { cutChain, endWithoutChain } from "./support/cut-chain.ts";
import { accountOf } from "./support/sign-in.ts";
import { watchRoutes } from "./support/watch-routes.ts";

const INSTRUCTIONS = routes.map(({ name }) => name).filter((name) => name.endsWith(".agentInstructions"));
const ROUTES = [...INSTRUCTIONS, "games.catalog", "games.get", "dev.faucet", "operations.healthz", "operations.readyz"];
const GAME = { params: { slug: "flappybots" } };

describe("discovery", () => {
  let suite: Suite;
  const api = watchRoutes(() => suite);
  before(async () => {
    suite = await startSuite();
  });
  after(() => endWithoutChain(suite));

  for (const name of INSTRUCTIONS) {
    it(`${name} leads an agent by addresses that exist, as data and as text`, async () => {
      const { body } = await api.succeed(name, GAME);
      expect(body).to.include({ chainId: 31337, baseUrl: suite.httpUrl, rpcUrl: suite.chain.rpcUrl });
      expect(body.contracts).to.deep.include({ rewards: suite.deployment.rewards, nft: suite.deployment.nft });
      const known = new Set(routes.map(({ method, path }) => `${method} ${path}`));
      const requests = body.steps.flatMap((step: { request: { method: string; path: string } | null }) =>
        step.request === null ? [] : [step.request],
      );
      for (const { method, path } of requests)
        expect(
          [...known].some(
            (route) => route.replace("{slug}", "flappybots") === `${method} ${path}` || route === `${method} ${path}`,
          ),
          path,
        ).to.equal(true);
      const text = await api.succeed(name, { ...GAME, headers: { Accept: "text/markdown" } });
      expect(text.headers.get("content-type")).to.match(/^text\/markdown/);
      expect(text.body).to.be.a("string").and.include(suite.httpUrl);
    });
  }

  it("shows every game with what a player must know", async () => {
    const catalog = await api.succeed("games.catalog");
    expect(catalog.body.games.map(({ slug }: { slug: string }) => slug)).to.deep.equal(games.map(({ slug }) => slug));
    for (const { slug, nft } of games) {
      const { body } = await api.succeed("games.get", { params: { slug } });
      expect(body.game).to.deep.equal(catalog.body.games.find((game: { slug: string }) => game.slug === slug));
      expect(body.game.nft).to.deep.include({ address: suite.deployment.nft[slug], tiers: nft.tiers });
      expect(body.game.ws.play).to.equal(`${suite.httpUrl.replace("http", "ws")}/ws/${slug}/play`);
    }
    const tetris = { params: { slug: "tetris" } };
    for (const name of ["games.get", "games.agentInstructions"]) {
      const { body } = await api.refuse(name, "GAME_NOT_FOUND", tetris);
      expect(body.games).to.deep.equal(games.map(({ slug }) => slug));
    }
    await api.refuse("games.catalog", "UNKNOWN_FIELD", { query: "?live=true" });
  });

  it("gives development ether", async () => {
    const { address } = accountOf(9);
    const { body } = await api.succeed("dev.faucet", { body: { address } });
    expect(body.amount).to.equal(String(10n ** 18n));
    const balance = await suite.chain.request("eth_getBalance", [address, "latest"]);
    expect(BigInt(balance as string)).to.equal(10n ** 18n);
    await api.refuse("dev.faucet", "VALIDATION_FAILED", { body: { address: "me" } });
  });

  it("is up, and ready while database and chain are there", async () => {
    await api.succeed("operations.healthz");
    const { body } = await api.succeed("operations.readyz");
    expect(body.ready).to.equal(true);
  });

  it("says in a sentence what is away, and serves the rest", async () => {
    await cutChain(suite);
    const readyz = await suite.request("GET", "/readyz");
    expect(readyz.status).to.equal(503);
    const chain = readyz.body.checks.find(({ name }: { name: string }) => name === "chain");
    expect(chain.ok).to.equal(false);
    expect(chain.sentence).to.match(/^[A-Z].*\.$/);
    expect(JSON.stringify(readyz.body)).to.not.include(new URL(suite.chain.rpcUrl).host);
    await api.succeed("operations.healthz");
    await api.succeed("games.catalog");
    await api.succeed("games.agentInstructions", GAME);
  });

  it("has shown every code of its routes", () => {
    // The faucet without a chain is NOT_FOUND on public networks alone, where the route does not exist at all.
    api.expectComplete(ROUTES.filter((name) => name !== "dev.faucet"));
  });
});
