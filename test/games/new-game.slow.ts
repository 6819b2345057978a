/**
 * Tests that a game is one folder and one line: a copy of the repository gets only these two, and every command
 * then serves the game. Only generated and recorded files are made again, each by its own command.
 */
import { readFileSync } from "node:fs";
import { expect } from "chai";
import { createClient, playSession } from "../../client/index.ts";
import { copyRepository, type RepositoryCopy } from "../helpers/copy.ts";
import { addGame, SLUG } from "../helpers/third-game.ts";

interface Contracts {
  readonly nft: { readonly [slug: string]: string };
}

/** Files that commands write: documents from tables, and golden records of the rules. */
const GENERATED =
  /^(docs\/\w+\.(json|md)|(backend|client)\/([\w-]+\/)*[\w-]+\.generated\.ts|\.env\.example|test\/fixtures\/golden-digests\.json)$/;

describe("a new game by one folder and one line, in a copy of the repository", function () {
  this.timeout(400_000);
  let copy: RepositoryCopy;
  /** The service with two games: its contracts, and the board of a game that was played. */
  let served: { readonly contracts: Contracts; readonly board: readonly unknown[] };
  const getEnv = () => ({ ARCADE_DATA_DIR: copy.path("data"), ARCADE_PORT: "0", ARCADE_RPC_PORT: "0" });
  const get = async (url: string) => (await fetch(url)).json();

  before(async () => {
    copy = await copyRepository();
    const { httpUrl, contracts } = JSON.parse(await copy.start("start", ["--json"], getEnv()));
    await copy.npm("agent", ["--url", httpUrl, "--game", "flappybots", "--bot", "quick", "--json"], getEnv());
    const { items } = await get(`${httpUrl}/api/leaderboard?game=flappybots`);
    served = { contracts, board: items };
    await copy.stop();
    addGame(copy);
  });
  after(() => copy?.close());

  it("passes the compiler, and its documents and recordings are made by their commands", async () => {
    await copy.npm("typecheck");
    await copy.npm("docs");
    await copy.npm("docs", ["--check"]);
    await copy.node("test/games/golden-replays.ts");
    expect(readFileSync(copy.path("docs/asyncapi.json"), "utf8")).to.include(`"${SLUG}"`);
    expect(copy.getChangedFiles().filter((name) => !GENERATED.test(name))).to.deep.equal(["backend/games/list.ts"]);
  });

  it("is held to what holds for every game", async () => {
    const testFiles = ["every-game.test", "passable.slow", "drawings.test", "golden.test"].map(
      (name) => `test/games/${name}.ts`,
    );
    const report = await copy.node(
      "node_modules/mocha/bin/mocha.js",
      "--timeout",
      "60000",
      ...testFiles,
      "test/architecture/imports.test.ts",
    );
    expect(report).to.include(`every game: ${SLUG}`);
    expect(report).to.include(`${SLUG} from its start, by what every game has`);
    expect(report).to.include(`draw every kind of ${SLUG}`);
    expect(report).to.include(`${SLUG} 1 still gives the digests`);
  });

  it("gets its contract in a data folder that was made with two games, whose scores stay, and is served, shown, practised, played by an agent up to its NFT, ranked and verified", async () => {
    const env = {
      ...getEnv(),
      ARCADE_TICK_HZ_GLOOMLANES: "30",
      ARCADE_NFT_SIGNER_KEY_GLOOMLANES: `0x${"6b".repeat(32)}`,
    };
    const { httpUrl, contracts } = JSON.parse(await copy.start("start", ["--json"], env));
    // The local chain kept the deployment of two games and got one contract more.
    const { [SLUG]: added, ...known } = contracts.nft;
    expect(added).to.match(/^0x/);
    expect({ ...contracts, nft: known }).to.deep.equal(served.contracts);
    const { items: keptEntries } = await get(`${httpUrl}/api/leaderboard?game=flappybots`);
    expect(served.board).to.have.length(1);
    expect(keptEntries).to.deep.equal(served.board);

    const { items: games } = await get(`${httpUrl}/api/games/catalog`);
    expect(games.map(({ slug }: { slug: string }) => slug)).to.deep.equal(["shellrunners", "flappybots", SLUG]);
    expect(games[2]).to.deep.include({ title: "Gloomlanes", tickHz: 30 });
    const page = await (await fetch(`${httpUrl}/`)).text();
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)![1];
    const entry = await (await fetch(httpUrl + script)).text();
    const chunks = [...entry.matchAll(/from"\.\/([^"]+\.js)"/g)].map((match) => `${httpUrl}/assets/${match[1]}`);
    const code = await Promise.all(chunks.map(async (url) => (await fetch(url)).text()));
    expect([entry, ...code].join("\n"), "the viewer's own copy of the game").to.include("Gloomlanes");

    const practiceClient = createClient({ baseUrl: httpUrl });
    const session = await practiceClient.sessions.start({ slug: SLUG, source: "browser_ws" });
    const kinds = new Set<string>();
    const practice = await playSession({
      client: practiceClient,
      session,
      bot: () => null,
      onFrame: ({ entities }) => entities.forEach(({ kind }) => void kinds.add(kind)),
    });
    expect(practice.endReason).to.equal("lives_lost");
    expect(kinds).to.include("cobweb");

    const output = await copy.npm("agent", ["--url", httpUrl, "--game", SLUG, "--bot", "quick", "--json"], env);
    const [agentReport] = JSON.parse(output).agents;
    expect(agentReport.games[0]).to.include({ slug: SLUG, endReason: "lives_lost" });
    expect(agentReport.nfts[0]).to.include({ slug: SLUG, tier: 1, action: "mint" });
    const { items } = await get(`${httpUrl}/api/leaderboard?game=${SLUG}`);
    expect(items.map(({ walletAddress }: { walletAddress: string }) => walletAddress)).to.deep.equal([
      agentReport.address,
    ]);
    await copy.npm("replay", [agentReport.games[0].sessionId, "--url", httpUrl], env);
  });
});
