import { get } from "node:http";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { playCourses } from "../../../backend/adapters/policies/play-courses.ts";
import { compareRuns } from "../../../domain/league/compare-runs.ts";
import { computeCourseSeed } from "../../../domain/league/course-seed.ts";
import { checkRoundForm, computeTextDigest, roundSchema } from "../../../domain/league/round.ts";
import { LEAGUE_LIMITS } from "../../../domain/limits/limits.ts";
import { computeSeedCommitment } from "../../../domain/replay/seed.ts";
import { HOUR_MS } from "../../../domain/time.ts";
import { ArcadeClock } from "../../../testing/clock.ts";
import { createAgent, createPlayer, type Player } from "../../../testing/player.ts";
import { useTestStack } from "../../helpers/suite.ts";
import { waitUntil } from "../../helpers/wait-until.ts";
import { createHttpMcpClient } from "../../mcp/mcp-client.ts";
import { createRouteTester } from "../support/watch-routes.ts";

const SEASON_HOURS = 3;
/** Courses that are played again; `npm run verify -- --league` plays all. */
const REPLAYED = 5;
const SLUG = "flappybots";
const game = { params: { slug: SLUG } };
/** Ends its courses soon. */
const SHORT = "() => null";
const OTHER = "(frame) => (frame.tick % 9 === 0 ? { t: 'action', action: 'FLAP' } : null)";

describe("the league over HTTP", () => {
  const clock = new ArcadeClock();
  const env = { ARCADE_LEAGUE_SEASON_HOURS: String(SEASON_HOURS) };
  const stack = useTestStack({ clock, env });
  const api = createRouteTester(() => stack);
  let [alice, bob] = [] as unknown as [Player, Player];
  before(async () => {
    alice = await createAgent(stack);
    bob = await createAgent(stack);
  });

  const submit = async (player: Player, text: string) =>
    api.expectSuccess("league.submit", { ...game, token: await player.getAccessToken(), body: { text } });
  const refuse = async (player: Player, text: string, code: "POLICY_INVALID" | "SEASON_CLOSED") =>
    (await api.expectError("league.submit", code, { ...game, token: await player.getAccessToken(), body: { text } }))
      .body;
  const getState = async () => (await api.expectSuccess("league.current", game)).body;
  const getOwn = async (player: Player) =>
    (await api.expectSuccess("league.mine", { ...game, token: await player.getAccessToken() })).body.policy;
  /** Brings the wall clock of the service to a time before or after the deadline. */
  const goTo = async (msFromDeadline: number): Promise<void> => {
    clock.offsetMs += Date.parse((await getState()).closesAt) + msFromDeadline - clock.nowMs();
  };

  it("opens a season for each game, under the game's former names too", async () => {
    const state = await getState();
    expect(state).to.deep.include({ slug: SLUG, season: 1, state: "open", policies: 0, policiesDigest: null });
    expect(state.played).to.deep.equal([]);
    expect(Date.parse(state.closesAt) - Date.parse(state.opensAt)).to.equal(SEASON_HOURS * HOUR_MS);
    expect((await stack.request("GET", "/api/league/flappy-bots")).body).to.deep.equal({ ok: true, ...state });
    const other = (await api.expectSuccess("league.current", { params: { slug: "shellrunners" } })).body;
    expect(other.commitment).to.not.equal(state.commitment);
    await api.expectError("league.current", "GAME_NOT_FOUND", { params: { slug: "chess" } });
  });

  it("takes a policy of a wallet with an identity, and replaces it", async () => {
    const guest = await createPlayer(stack);
    const token = await guest.getAccessToken();
    // Also for a text that does not parse: no process checks it.
    for (const text of [SHORT, "("])
      await api.expectError("league.submit", "IDENTITY_REQUIRED", { ...game, token, body: { text } });
    expect(await getOwn(alice)).to.equal(null);
    await submit(alice, OTHER);
    const { body } = await submit(alice, SHORT);
    expect(body).to.deep.include({ season: 1, digest: computeTextDigest(SHORT), bytes: SHORT.length });
    const { ok: _, ...submitted } = body;
    expect(await getOwn(alice)).to.deep.equal({ ...submitted, text: SHORT });
    expect(await getOwn(bob)).to.equal(null);
    expect((await getState()).policies).to.equal(1);
  });

  it("refuses what is not a policy with its place, its length, or an example", async () => {
    const before = await getOwn(alice);
    const broken = await refuse(alice, "(frame) =>\n  frame..pawn", "POLICY_INVALID");
    expect([broken.reason, broken.line, broken.column]).to.deep.equal(["text", 2, 9]);
    expect(broken.error).to.include("line 2, column 9");
    expect((await refuse(alice, "1 + 1", "POLICY_INVALID")).error).to.include("(frame, memory) =>");
    expect((await refuse(alice, "", "POLICY_INVALID")).error).to.include("(frame, memory) =>");
    expect((await refuse(alice, "for (;;);", "POLICY_INVALID")).reason).to.equal("fuel");
    expect((await refuse(alice, "() => '\0'", "POLICY_INVALID")).column).to.equal(8);
    expect((await refuse(alice, "() => '\ud800'", "POLICY_INVALID")).column).to.equal(8);
    expect(await getOwn(alice)).to.deep.equal(before);
  });

  it("takes a text of 65,536 bytes in any spelling, and refuses a longer one with its length", async () => {
    const fill = (bytes: number): string => `${SHORT}//${"é".repeat((bytes - SHORT.length - 2) / 2)}`;
    const token = await bob.getAccessToken();
    const text = JSON.stringify(fill(65_536)).replaceAll("é", "\\u00e9");
    const longest = await stack.request("POST", `/api/league/${SLUG}/policy`, { token, body: `{"text":${text}}` });
    expect(longest.body.bytes).to.equal(65_536);
    expect((await refuse(bob, `${fill(65_536)} `, "POLICY_INVALID")).error).to.include("received 65537");
    const body = { text: " ".repeat(LEAGUE_LIMITS.bodyBytes) };
    const tooLarge = await stack.request("POST", `/api/league/${SLUG}/policy`, { token, body });
    expect(tooLarge.body.code).to.equal("BODY_TOO_LARGE");
    await submit(bob, OTHER);
  });

  it("shows no text before the round was played", async () => {
    for (const season of ["1", "2", "0", "x", "9".repeat(30)])
      await api.expectError("league.round", "ROUND_NOT_FOUND", { params: { slug: SLUG, season } });
    expect(JSON.stringify(await getState())).to.not.include("=>");
  });

  it("takes policies until the deadline, and plays them after the first final block that follows", async () => {
    const { commitment, closesAt } = await getState();
    await goTo(-60_000);
    await submit(alice, SHORT);
    await goTo(0);
    expect((await refuse(alice, OTHER, "SEASON_CLOSED")).error).to.include(closesAt);
    await waitUntil(async () => (await getState()).policiesDigest !== null);
    expect(await getState()).to.include({ state: "playing", season: 1, policies: 2 });
    await api.expectError("league.round", "ROUND_NOT_FOUND", { params: { slug: SLUG, season: "1" } });

    await stack.chain.request("evm_increaseTime", [SEASON_HOURS * 3600 + 60]);
    for (let block = 0; block < 4; block++) await stack.chain.request("evm_mine", []);
    await waitUntil(async () => (await getState()).season === 2);
    const round = roundSchema.parse(
      (await api.expectSuccess("league.round", { params: { slug: SLUG, season: "1" } })).body,
    );
    expect(checkRoundForm(round)).to.deep.equal([]);
    const seeds = Array.from({ length: REPLAYED }, (_, course) => computeCourseSeed(round, course));
    for (const { id, text, runs } of round.policies)
      expect(compareRuns(id, await playCourses(text, { ...round, seeds }), runs)).to.deep.equal([]);
    expect(computeSeedCommitment(round.serverSeed)).to.equal(commitment);
    expect(round.closesAt).to.equal(closesAt);
    const texts = Object.fromEntries(round.policies.map(({ id, text }) => [id, text]));
    expect(texts).to.deep.equal({ [alice.address]: SHORT, [bob.address]: OTHER });
    const header = await stack.chain.request("eth_getBlockByHash", [round.block.hash, false]);
    const parent = await stack.chain.request("eth_getBlockByNumber", [
      `0x${(round.block.number - 1).toString(16)}`,
      false,
    ]);
    const toMs = (block: unknown): number => Number((block as { timestamp: string }).timestamp) * 1000;
    expect(toMs(header)).to.be.at.least(Date.parse(closesAt));
    expect(toMs(parent)).to.be.below(Date.parse(closesAt));

    const { played, ...next } = await getState();
    expect(next).to.include({ state: "open", policies: 0, policiesDigest: null });
    expect(next.commitment).to.not.equal(commitment);
    const winner = round.ratings.find(({ id }) => id in texts)!.id;
    expect(played).to.deep.equal([{ season: 1, closesAt, policies: 2, courses: 50, winner }]);
    expect(await getOwn(alice)).to.equal(null);
    await submit(alice, OTHER);
  });

  it("sends the file of a round as it is stored, or decompressed, with one name for good", async () => {
    const read = (encoding: string) =>
      new Promise<{ readonly bytes: Buffer; readonly headers: Readonly<Record<string, unknown>> }>(
        (resolve, reject) => {
          const url = `${stack.httpUrl}/api/league/${SLUG}/seasons/1`;
          get(url, { headers: { "Accept-Encoding": encoding } }, async (response) => {
            const chunks: Buffer[] = [];
            for await (const chunk of response) chunks.push(chunk as Buffer);
            resolve({ bytes: Buffer.concat(chunks), headers: response.headers });
          }).on("error", reject);
        },
      );
    const [zipped, plain] = [await read("br, gzip"), await read("identity")];
    expect(zipped.headers).to.include({ "content-encoding": "gzip", "content-type": "application/json" });
    expect(zipped.headers["cache-control"]).to.equal("public, max-age=31536000, immutable");
    expect(plain.headers).to.not.have.property("content-encoding");
    expect(gunzipSync(zipped.bytes).equals(plain.bytes)).to.equal(true);
    expect(zipped.bytes.length).to.be.below(plain.bytes.length / 2);
  });

  it("ends a season without policies without a round", async () => {
    const params = { slug: "shellrunners" };
    const getSeason = async () => (await api.expectSuccess("league.current", { params })).body.season;
    await waitUntil(async () => (await getSeason()) === 2);
    expect((await api.expectSuccess("league.current", { params })).body.played).to.deep.equal([]);
    await api.expectError("league.round", "ROUND_NOT_FOUND", { params: { ...params, season: "1" } });
  });
});

describe("a service without a league", () => {
  // It starts the process of /mcp too.
  const stack = useTestStack({ env: { ARCADE_LEAGUE_SEASON_HOURS: "0" } });
  const api = createRouteTester(() => stack);

  it("says so at each route, and stores nothing", async () => {
    const token = await (await createAgent(stack)).getAccessToken();
    await api.expectError("league.current", "LEAGUE_OFF", game);
    await api.expectError("league.round", "LEAGUE_OFF", { params: { slug: SLUG, season: "1" } });
    await api.expectError("league.submit", "LEAGUE_OFF", { ...game, token, body: { text: SHORT } });
    await api.expectError("league.mine", "LEAGUE_OFF", { ...game, token });
    const course = { params: { slug: SLUG, course: "1" }, token };
    await api.expectError("league.course", "LEAGUE_OFF", course);
    await api.expectError("league.decide", "LEAGUE_OFF", { ...course, body: { decision: 1 } });
  });

  it("lists no tool for it", async () => {
    const { result } = await createHttpMcpClient(stack.httpUrl).request("tools/list");
    const names = (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
    expect(names).to.include("simulate");
    expect(names.filter((name) => name.startsWith("league_"))).to.deep.equal([]);
  });
});
