import { expect } from "chai";
import { routes } from "../../backend/http/routes/index.ts";
import { games } from "../../games/index.ts";
import { waitFor } from "../adapters/chain/chain-fixture.ts";
import { type ApiResponse, useTestStack } from "../helpers/suite.ts";
import { closeWithoutChain, stopChain } from "./support/cut-chain.ts";
import { createTestAccount } from "./support/sign-in.ts";
import { createRouteTester } from "./support/watch-routes.ts";

const INSTRUCTIONS = routes.map(({ name }) => name).filter((name) => name.endsWith(".agentInstructions"));
const ROUTES = [...INSTRUCTIONS, "games.catalog", "games.get", "dev.faucet", "operations.healthz", "operations.readyz"];
const GAME = { params: { slug: "flappybots" } };

describe("discovery", () => {
  const api = createRouteTester(() => stack);
  // On a public chain the faucet is NOT_FOUND, but there the route does not exist.
  const stack = useTestStack({}, closeWithoutChain);
  api.checkCodesAfterAll(ROUTES.filter((name) => name !== "dev.faucet"));

  for (const name of INSTRUCTIONS) {
    it(`${name} lists only existing routes, as data and as text`, async () => {
      const { body } = await api.expectSuccess(name, GAME);
      expect(body).to.include({ chainId: 31337, baseUrl: stack.httpUrl, rpcUrl: stack.chain.rpcUrl });
      expect(body.contracts).to.deep.include({ rewards: stack.deployment.rewards, nft: stack.deployment.nft });
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
      const text = await api.expectSuccess(name, { ...GAME, headers: { Accept: "text/markdown" } });
      expect(text.headers.get("content-type")).to.match(/^text\/markdown/);
      expect(text.body).to.be.a("string").and.include(stack.httpUrl);
    });
  }

  it("the catalog has every game with what a player needs to know", async () => {
    const catalog = await api.expectSuccess("games.catalog");
    expect(catalog.body.items.map(({ slug }: { slug: string }) => slug)).to.deep.equal(games.map(({ slug }) => slug));
    for (const { slug, nft } of games) {
      const { body } = await api.expectSuccess("games.get", { params: { slug } });
      expect(body.game).to.deep.equal(catalog.body.items.find((game: { slug: string }) => game.slug === slug));
      expect(body.game.nft).to.deep.include({ address: stack.deployment.nft[slug], tiers: nft.tiers });
      expect(body.game.ws.play).to.equal(`${stack.httpUrl.replace("http", "ws")}/ws/${slug}/play`);
    }
    const tetris = { params: { slug: "tetris" } };
    for (const name of ["games.get", "games.agentInstructions"]) {
      const { body } = await api.expectError(name, "GAME_NOT_FOUND", tetris);
      expect(body.games).to.deep.equal(games.map(({ slug }) => slug));
    }
    await api.expectError("games.catalog", "UNKNOWN_FIELD", { query: "?live=true" });
  });

  it("the faucet sends development ether", async () => {
    const { address } = createTestAccount(9);
    const { body } = await api.expectSuccess("dev.faucet", { body: { address } });
    expect(body.amount).to.equal(String(10n ** 18n));
    const balance = await stack.chain.request("eth_getBalance", [address, "latest"]);
    expect(BigInt(balance as string)).to.equal(10n ** 18n);
    await api.expectError("dev.faucet", "VALIDATION_FAILED", { body: { address: "me" } });
  });

  it("the service is up, and is ready while database and chain respond", async () => {
    await api.expectSuccess("operations.healthz");
    const { body } = await api.expectSuccess("operations.readyz");
    expect(body.ready).to.equal(true);
  });

  it("the service reports an unavailable chain clearly, and serves the other routes", async () => {
    await stopChain(stack);
    // Until the indexer's next poll.
    const findChain = ({ body }: ApiResponse) => body.checks.find(({ name }: { name: string }) => name === "chain");
    const readyz = await waitFor(async () => {
      const response = await stack.request("GET", "/readyz");
      expect(response.status).to.equal(200);
      return !findChain(response).ok && response;
    });
    const chain = findChain(readyz);
    expect(chain.sentence).to.match(/^[A-Z].*\.$/);
    expect(JSON.stringify(readyz.body)).to.not.include(new URL(stack.chain.rpcUrl).host);
    await api.expectSuccess("operations.healthz");
    await api.expectSuccess("games.catalog");
    await api.expectSuccess("games.agentInstructions", GAME);
  });
});
