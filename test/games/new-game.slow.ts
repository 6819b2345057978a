/**
 * One folder and one line, taken at their word: a copy of the repository gets both and nothing else, and every command
 * then knows the game. Only what is generated or recorded is made anew, by its own command.
 */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import { createClient, playSession } from "../../client/index.ts";
import { buildContracts, root } from "../../scripts/start/build.ts";
import { type Copy, copyRepository } from "../helpers/copy.ts";

const SLUG = "gloomlanes";
const LINE = `export { ${SLUG} } from "./${SLUG}/game.ts";\n`;

/** The smallest game of the fixtures, under a name of its own and with a first tier that is soon reached. */
const RENAMED: readonly (readonly [RegExp, string])[] = [
  [/lanternlanes/g, SLUG],
  [/Lanternlanes/g, "Gloomlanes"],
  [/LANTERN/g, "GLOOM"],
  [/minScore: 60/g, "minScore: 10"],
  [/\.\.\/\.\.\/\.\.\/backend\/games\//g, "../"],
];

function addGame({ path }: Copy): void {
  const from = `${root}/test/fixtures/lanternlanes`;
  mkdirSync(path("backend/games", SLUG));
  for (const name of readdirSync(from)) {
    let text = readFileSync(`${from}/${name}`, "utf8");
    for (const [pattern, words] of RENAMED) text = text.replace(pattern, words);
    writeFileSync(path("backend/games", SLUG, name), text);
  }
  appendFileSync(path("backend/games/list.ts"), LINE);
}

/** What commands write: documents from tables, and records of the rules' first day. */
const GENERATED =
  /^(docs\/\w+\.(json|md)|client\/routes-generated\.ts|\.env\.example|test\/fixtures\/golden-digests\.json)$/;

describe("a new game by one folder and one line, in a copy of the repository", function () {
  this.timeout(400_000);
  let copy: Copy;
  before(async () => {
    await buildContracts();
    copy = await copyRepository();
    addGame(copy);
  });
  after(() => copy?.close());

  it("passes the compiler, and its documents and recordings are made by their commands", async () => {
    await copy.npm("typecheck");
    await copy.npm("docs");
    await copy.npm("docs", ["--check"]);
    await copy.node("test/games/golden-replays.ts");
    expect(readFileSync(copy.path("docs/asyncapi.json"), "utf8")).to.include(`"${SLUG}"`);
    expect(copy.changed().filter((name) => !GENERATED.test(name))).to.deep.equal(["backend/games/list.ts"]);
  });

  it("is held to what holds for every game", async () => {
    const names = ["every-game", "passable", "drawings", "golden"].map((name) => `test/games/${name}.test.ts`);
    const report = await copy.node(
      "node_modules/mocha/bin/mocha.js",
      "--timeout",
      "60000",
      ...names,
      "test/house/imports.test.ts",
    );
    expect(report).to.include(`every game: ${SLUG}`);
    expect(report).to.include(`${SLUG} from its start, by what every game has`);
    expect(report).to.include(`draw every kind of ${SLUG}`);
    expect(report).to.include(`${SLUG} 1 still gives the digests`);
  });

  it("is served, shown, practised, played by an agent up to its NFT, ranked and verified", async () => {
    const env = {
      ARCADE_DATA_DIR: copy.path("data"),
      ARCADE_PORT: "0",
      ARCADE_RPC_PORT: "0",
      ARCADE_TICK_HZ_GLOOMLANES: "30",
      ARCADE_NFT_SIGNER_KEY_GLOOMLANES: `0x${"6b".repeat(32)}`,
    };
    const { httpUrl, contracts } = JSON.parse(await copy.start("start", ["--json"], env));
    expect(contracts.nft[SLUG]).to.match(/^0x/);
    const get = async (path: string) => (await fetch(httpUrl + path)).json();

    const { games } = await get("/api/games/catalog");
    expect(games.map(({ slug }: { slug: string }) => slug)).to.deep.equal(["shellrunners", "flappybots", SLUG]);
    expect(games[2]).to.deep.include({ title: "Gloomlanes", tickHz: 30 });
    const page = await (await fetch(`${httpUrl}/`)).text();
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)![1];
    expect(await (await fetch(httpUrl + script)).text(), "the viewer's own copy of the game").to.include("Gloomlanes");

    const visitor = createClient({ baseUrl: httpUrl });
    const session = await visitor.sessions.start({ slug: SLUG, source: "browser_ws" });
    const kinds = new Set<string>();
    const practice = await playSession({
      client: visitor,
      session,
      bot: () => null,
      onFrame: ({ entities }) => entities.forEach(({ kind }) => void kinds.add(kind)),
    });
    expect(practice.endReason).to.equal("lives_lost");
    expect(kinds).to.include("cobweb");

    const answer = await copy.npm("agent", ["--url", httpUrl, "--game", SLUG, "--bot", "quick", "--json"], env);
    const [life] = JSON.parse(answer).agents;
    expect(life.games[0]).to.include({ slug: SLUG, endReason: "lives_lost" });
    expect(life.nfts[0]).to.include({ slug: SLUG, tier: 1, action: "mint" });
    const { entries } = await get(`/api/leaderboard?game=${SLUG}`);
    expect(entries.map(({ walletAddress }: { walletAddress: string }) => walletAddress)).to.deep.equal([life.address]);
    await copy.npm("replay", [life.games[0].sessionId, "--url", httpUrl], env);
  });
});
