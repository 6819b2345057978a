/**
 * Tests that a game is one folder and one line: a copy of the repository gets only these for a game with lanes and one
 * on a board, and all commands then support both. Only generated and recorded files are remade, by their commands.
 */
import { readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { createClient, playSession } from "../../client/index.ts";
import { games } from "../../games/index.ts";
import { copyRepository, type RepositoryCopy } from "../helpers/copy.ts";
import { addGame, GRID_SLUG, SLUG } from "../helpers/third-game.ts";

interface Contracts {
  readonly nft: { readonly [slug: string]: string };
}

/** Files that commands write: documents from tables, and golden files of the rules. */
const GENERATED =
  /^(docs\/\w+\.(json|md)|(games|client)\/([\w-]+\/)*[\w-]+\.generated\.ts|\.env\.example|test\/fixtures\/golden-digests\.json)$/;

/** The added games, each with an entity that an idle player sees. */
const ADDED = [
  { slug: SLUG, title: "Gloomlanes", tickHz: 30, kind: "cobweb" },
  { slug: GRID_SLUG, title: "Mosspatch", tickHz: 20, kind: "thorn" },
] as const;

function listTestFiles({ path }: RepositoryCopy): readonly string[] {
  const folders = ["test/games", "test/architecture", "test/domain/replay"];
  const files = folders.flatMap((folder) =>
    readdirSync(path(folder))
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => `${folder}/${name}`),
  );
  return [...files, "test/games/passable.slow.ts", "test/client/verify-replay.test.ts", "test/scripts/verify.test.ts"];
}

describe("new games by one folder and one line each, in a copy of the repository", function () {
  this.timeout(1_200_000);
  let copy: RepositoryCopy;
  /** The service with two games: its contracts, and the board of a played game. */
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
    for (const { slug } of ADDED) addGame(copy, slug);
  });
  after(() => copy?.close());

  it("compile, and commands write their documents and recordings", async () => {
    await copy.npm("typecheck");
    await copy.npm("docs");
    await copy.npm("docs", ["--check"]);
    await copy.node("test/games/golden-replays.ts");
    for (const { slug } of ADDED) expect(readFileSync(copy.path("dist/asyncapi.json"), "utf8")).to.include(`"${slug}"`);
    expect(copy.getChangedFiles().filter((name) => !GENERATED.test(name))).to.deep.equal(["games/list.ts"]);
  });

  it("pass the tests for every game", async () => {
    // Tests of specific games give the same result without a copy.
    const options = [
      "--parallel",
      "--jobs",
      "2",
      "--timeout",
      "300000",
      "--invert",
      "--grep",
      games.map(({ slug }) => slug).join("|"),
    ];
    const report = await copy.node("node_modules/mocha/bin/mocha.js", ...options, ...listTestFiles(copy));
    for (const { slug } of ADDED) {
      expect(report).to.include(`every game: ${slug}`);
      expect(report).to.include(`${slug} from its start, with the generic search`);
      expect(report).to.include(`draw every kind of ${slug}`);
      expect(report).to.include(`${slug} 1 still gives the digests`);
    }
  });

  it("get their contracts in a data folder that was made with two games, whose scores stay, and are served, shown, practised, played by an agent up to the NFT, ranked and verified", async () => {
    const env = {
      ...getEnv(),
      ARCADE_TICK_HZ_GLOOMLANES: "30",
      ARCADE_NFT_SIGNER_KEY_GLOOMLANES: `0x${"6b".repeat(32)}`,
    };
    const { httpUrl, contracts } = JSON.parse(await copy.start("start", ["--json"], env));
    // The local chain kept the deployment of two games and got one more contract for each new one.
    const known = { ...contracts.nft };
    for (const { slug } of ADDED) {
      expect(known[slug]).to.match(/^0x/);
      delete known[slug];
    }
    expect({ ...contracts, nft: known }).to.deep.equal(served.contracts);
    const { items: keptEntries } = await get(`${httpUrl}/api/leaderboard?game=flappybots`);
    expect(served.board).to.have.length(1);
    expect(keptEntries).to.deep.equal(served.board);

    const { items: games } = await get(`${httpUrl}/api/games/catalog`);
    expect(games.slice(0, 2).map(({ slug }: { slug: string }) => slug)).to.deep.equal(["shellrunners", "flappybots"]);
    const added = games.slice(2).map(({ slug, title, tickHz }: (typeof games)[0]) => ({ slug, title, tickHz }));
    expect(added).to.deep.equal(ADDED.map(({ slug, title, tickHz }) => ({ slug, title, tickHz })));
    const page = await (await fetch(`${httpUrl}/`)).text();
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)![1];
    const entry = await (await fetch(httpUrl + script)).text();
    const chunks = [...entry.matchAll(/from"\.\/([^"]+\.js)"/g)].map((match) => `${httpUrl}/assets/${match[1]}`);
    const code = await Promise.all(chunks.map(async (url) => (await fetch(url)).text()));
    for (const { title } of ADDED)
      expect([entry, ...code].join("\n"), "the viewer's own copy of the game").to.include(title);
    for (const game of ADDED) await playAndVerify(httpUrl, game, env);
  });

  /** A run of practice without input, then an agent's run up to its NFT, its rank and its verified replay. */
  async function playAndVerify(
    httpUrl: string,
    { slug, kind }: (typeof ADDED)[number],
    env: { readonly [name: string]: string },
  ): Promise<void> {
    const client = createClient({ baseUrl: httpUrl });
    const session = await client.sessions.start({ slug, source: "browser_ws" });
    const kinds = new Set<string>();
    const practice = await playSession({
      client,
      session,
      bot: () => null,
      onFrame: ({ entities }) => entities.forEach(({ kind }) => void kinds.add(kind)),
    });
    expect(practice.endReason).to.equal("lives_lost");
    expect(kinds).to.include(kind);

    const output = await copy.npm("agent", ["--url", httpUrl, "--game", slug, "--bot", "quick", "--json"], env);
    const [agentReport] = JSON.parse(output).agents;
    expect(agentReport.games[0]).to.include({ slug, endReason: "lives_lost" });
    expect(agentReport.nfts[0]).to.include({ slug, tier: 1, action: "mint" });
    const { items } = await get(`${httpUrl}/api/leaderboard?game=${slug}`);
    expect(items.map(({ walletAddress }: { walletAddress: string }) => walletAddress)).to.deep.equal([
      agentReport.address,
    ]);
    await copy.npm("replay", [agentReport.games[0].sessionId, "--url", httpUrl], env);
  }
});
