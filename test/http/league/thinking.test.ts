import { expect } from "chai";
import type { Answer } from "../../../client/api.ts";
import { checkRoundForm, roundSchema } from "../../../domain/league/round.ts";
import { checkThinkers, THINKING_RULES } from "../../../domain/league/thinking.ts";
import { HOUR_MS } from "../../../domain/time.ts";
import type { PlayFrame } from "../../../games/game.ts";
import { findGame } from "../../../games/index.ts";
import { ArcadeClock } from "../../../testing/clock.ts";
import { createAgent, createPlayer, type Player } from "../../../testing/player.ts";
import { useTestStack } from "../../helpers/suite.ts";
import { waitUntil } from "../../helpers/wait-until.ts";
import { createRouteTester } from "../support/watch-routes.ts";

const SLUG = "flappybots";
const FLAP = { t: "action", action: "FLAP" } as const;

describe("the thinkers of the league", () => {
  const clock = new ArcadeClock();
  const stack = useTestStack({ clock, env: { ARCADE_LEAGUE_SEASON_HOURS: "1" } });
  const api = createRouteTester(() => stack);
  let [alice, bob] = [] as unknown as [Player, Player];
  before(async () => {
    alice = await createAgent(stack);
    bob = await createAgent(stack);
  });

  const toParams = (course: number) => ({ params: { slug: SLUG, course: String(course) } });
  const read = async (player: Player, course: number) =>
    (await api.expectSuccess("league.course", { ...toParams(course), token: await player.getAccessToken() })).body;
  const decide = async (player: Player, course: number, body: object) =>
    (await api.expectSuccess("league.decide", { ...toParams(course), token: await player.getAccessToken(), body }))
      .body;
  const refuse = async (
    player: Player,
    course: number,
    body: object,
    code: "DECISION_CONFLICT" | "SEASON_CLOSED" | "VALIDATION_FAILED",
  ) =>
    (await api.expectError("league.decide", code, { ...toParams(course), token: await player.getAccessToken(), body }))
      .body;
  const getState = async (): Promise<Answer<"league.current">> =>
    (await api.expectSuccess("league.current", { params: { slug: SLUG } })).body;

  it("see the first frame of each course before they decide, and other courses than others", async () => {
    const first = await read(alice, 1);
    const { decisions } = THINKING_RULES;
    expect(first).to.deep.include({ season: 1, course: 1, decisions: 0, decisionsLeft: decisions, isOver: false });
    expect(first.frame.tick).to.equal(0);
    const see = async (player: Player, course: number) => JSON.stringify((await read(player, course)).frame.entities);
    const seen = [await see(alice, 1), await see(alice, 2), await see(bob, 1)];
    expect(new Set(seen).size).to.equal(seen.length);
    for (const course of ["0", "6", "01", "x"]) {
      const path = `/api/league/${SLUG}/thinking/${course}`;
      expect((await stack.request("GET", path, { token: await alice.getAccessToken() })).status, course).to.equal(404);
    }
    expect((await getState()).thinkers).to.deep.equal([]);
  });

  it("need an identity to decide", async () => {
    const token = await (await createPlayer(stack)).getAccessToken();
    await api.expectError("league.decide", "IDENTITY_REQUIRED", { ...toParams(1), token, body: { decision: 1 } });
  });

  it("make the ticks of a decision once, however often it is sent, and refuse any other number", async () => {
    const decided = await decide(alice, 1, { decision: 1, move: FLAP, ticks: 7 });
    expect(decided).to.include({ decisions: 1, decisionsLeft: THINKING_RULES.decisions - 1 });
    expect(decided.frame.tick).to.equal(7);
    expect(await decide(alice, 1, { decision: 1, move: FLAP, ticks: 7 })).to.deep.equal(decided);
    const { ok: _, ...known } = decided;
    const { ok: __, ...again } = await read(alice, 1);
    expect(again).to.deep.equal(known);
    for (const body of [
      { decision: 1, move: null, ticks: 7 },
      { decision: 1, move: FLAP, ticks: 8 },
      { decision: 3 },
    ]) {
      const refused = await refuse(alice, 1, body, "DECISION_CONFLICT");
      expect(refused).to.include({ decisions: 1, isOver: false });
      expect(refused.error).to.include("the next one is 2");
    }
    await refuse(alice, 1, { decision: 2, move: { t: "input", dir: "LEFT" } }, "VALIDATION_FAILED");
    for (const ticks of [0, 101]) await refuse(alice, 1, { decision: 2, ticks }, "VALIDATION_FAILED");
    expect((await read(alice, 1)).frame.tick).to.equal(7);
  });

  it("count one of two decisions that arrive at once", async () => {
    const token = await bob.getAccessToken();
    const send = (ticks: number) =>
      stack.request("POST", `/api/league/${SLUG}/thinking/1`, { token, body: { decision: 1, ticks } });
    const answers = await Promise.all([send(3), send(4)]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    const kept = answers.find(({ status }) => status === 200)!;
    expect((await read(bob, 1)).frame.tick).to.equal(kept.body.frame.tick);
    const body = { decision: 2, ticks: 1 };
    const same = await Promise.all([decide(bob, 1, body), decide(bob, 1, body)]);
    expect(same[0]).to.deep.equal(same[1]);
    expect(same[0]!.decisions).to.equal(2);
  });

  it("have so many decisions and no more", async () => {
    const bot = findGame(SLUG)!.bots.reference();
    let last = await read(alice, 2);
    for (let decision = 1; !last.isOver; decision++) {
      const move = bot(last.frame as unknown as PlayFrame);
      last = await decide(alice, 2, { decision, move, ticks: 2 });
    }
    expect(last).to.include({ decisions: THINKING_RULES.decisions, decisionsLeft: 0 });
    expect(last.score).to.be.greaterThan(0);
    const refused = await refuse(alice, 2, { decision: THINKING_RULES.decisions, ticks: 9 }, "DECISION_CONFLICT");
    expect(refused).to.include({ isOver: true });
    expect(refused.error).to.include("it is over");
  });

  it("stand on the board with the points of all their courses", async () => {
    const { thinkers } = await getState();
    const [first, second] = [await read(alice, 1), await read(alice, 2)];
    expect(thinkers.map(({ wallet }) => wallet)).to.deep.equal([alice.address, bob.address]);
    expect(thinkers[0]).to.include({ courses: 2, points: first.score + second.score });
    expect(thinkers[0]!.decisions).to.equal(first.decisions + second.decisions);
  });

  it("decide until the deadline, and are in the file of the round, also without policies", async () => {
    const { closesAt } = await getState();
    clock.offsetMs += Date.parse(closesAt) - clock.nowMs() - 60_000;
    await decide(bob, 2, { decision: 1, ticks: 5 });
    const { thinkers } = await getState();
    clock.offsetMs += 60_000;
    expect((await refuse(bob, 2, { decision: 2 }, "SEASON_CLOSED")).error).to.include(closesAt);
    await stack.chain.request("evm_increaseTime", [HOUR_MS / 1000 + 60]);
    for (let block = 0; block < 4; block++) await stack.chain.request("evm_mine", []);
    await waitUntil(async () => (await getState()).season === 2);
    const params = { slug: SLUG, season: "1" };
    const round = roundSchema.parse((await api.expectSuccess("league.round", { params })).body);
    expect([...checkRoundForm(round), ...checkThinkers(findGame(SLUG)!, round)]).to.deep.equal([]);
    expect(round.thinkers.map(({ id, agentId, points }) => ({ id, agentId, points }))).to.deep.equal(
      thinkers.map(({ wallet, agentId, points }) => ({ id: wallet, agentId, points })),
    );
    const next = await getState();
    expect(next.played).to.deep.equal([{ season: 1, closesAt, policies: 0, courses: 50, winner: null }]);
    expect(next.thinkers).to.deep.equal([]);
    expect(await read(alice, 2)).to.deep.include({ season: 2, decisions: 0 });
  });
});
