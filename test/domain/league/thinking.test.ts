import { expect } from "chai";
import {
  addDecision,
  checkThinkers,
  computeThinkingSeed,
  countDecisions,
  DECISIONS_FORM,
  isCourseOver,
  playDecisions,
  rankThinkers,
  THINKING_RULES,
  type Thinker,
} from "../../../domain/league/thinking.ts";
import { findGame } from "../../../games/index.ts";
import { toPlayFrame } from "../../../games/play-frame.ts";

const game = findGame("flappybots")!;
const [ALICE, BOB] = [`0x${"0a".repeat(20)}`, `0x${"0b".repeat(20)}`] as const;
const SEASON = { slug: game.slug, serverSeed: `0x${"42".repeat(32)}`, tickHz: game.tickHz } as const;
const { code } = game.inputs.find(({ mode }) => mode === "once")!;
const play = (decisions: string, course = 1, wallet: `0x${string}` = ALICE) =>
  playDecisions(game, {
    seed: computeThinkingSeed(SEASON.serverSeed, SEASON.slug, wallet, course),
    tickHz: game.tickHz,
    decisions,
  });

describe("the decisions of a thinker", () => {
  it("are a text that gives them again", () => {
    const decisions = [
      { code: "none", ticks: 100 },
      { code, ticks: 1 },
      { code: 35, ticks: 10 },
    ] as const;
    const text = decisions.reduce((before, decision) => addDecision(before, decision), "");
    expect(text).to.equal(`.100 ${code.toString(36)}1 z10`);
    expect(countDecisions(text)).to.equal(3);
    expect(countDecisions("")).to.equal(0);
    for (const form of ["", ".1", "19", ".100 z1"]) expect(DECISIONS_FORM.test(form), form).to.equal(true);
    for (const form of [" ", ".", ".0", ".101", ".1 ", " .1", ".1  .1", ".1.1", "Z1", ".01", ".-1"])
      expect(DECISIONS_FORM.test(form), form).to.equal(false);
  });

  it("make their ticks, with the move in the first one only", () => {
    const flapped = play(`.3 ${code.toString(36)}5`);
    expect(flapped.tick).to.equal(8);
    expect(flapped).to.deep.equal(play(`.1 .2 ${code.toString(36)}1 .4`));
    expect(flapped).to.not.deep.equal(play(`.3 ${code.toString(36)}1 ${code.toString(36)}4`));
    expect(play("").tick).to.equal(0);
  });

  it("end with the last life, the last decision or the time of a course, and not before", () => {
    const fallen = Array.from({ length: 20 }, () => ".100").join(" ");
    const state = play(fallen);
    expect(state.over).to.equal(true);
    expect(state.tick).to.be.below(THINKING_RULES.seconds * game.tickHz);
    expect(isCourseOver(state, fallen)).to.equal(true);
    const most = Array.from({ length: THINKING_RULES.decisions }, () => ".1").join(" ");
    const running = { ...play(""), over: false };
    expect(isCourseOver(running, most)).to.equal(true);
    expect(isCourseOver(running, most.slice(3))).to.equal(false);
    const ticksMax = THINKING_RULES.seconds * game.tickHz;
    expect(isCourseOver({ ...running, tick: ticksMax }, ".1")).to.equal(true);
    expect(isCourseOver({ ...running, tick: ticksMax - 1 }, ".1")).to.equal(false);
  });

  it("make no tick beyond the time of a course", () => {
    const endless = {
      ...game,
      step: (state: ReturnType<typeof game.init>) => Object.assign(state, { tick: state.tick + 1 }),
    };
    const seed = computeThinkingSeed(SEASON.serverSeed, SEASON.slug, ALICE, 1);
    const decisions = Array.from({ length: THINKING_RULES.decisions }, () => ".100").join(" ");
    const { tick } = playDecisions(endless, { seed, tickHz: 10, decisions });
    expect(tick).to.equal(THINKING_RULES.seconds * 10);
  });

  it("meet other courses for each wallet, course, game and season", () => {
    const seeds = [
      computeThinkingSeed(SEASON.serverSeed, "flappybots", ALICE, 1),
      computeThinkingSeed(SEASON.serverSeed, "flappybots", ALICE, 2),
      computeThinkingSeed(SEASON.serverSeed, "flappybots", BOB, 1),
      computeThinkingSeed(SEASON.serverSeed, "shellrunners", ALICE, 1),
      computeThinkingSeed(`0x${"43".repeat(32)}`, "flappybots", ALICE, 1),
    ];
    expect(new Set(seeds).size).to.equal(seeds.length);
  });
});

describe("the board of thinkers", () => {
  const courses = (...decisions: string[]) => decisions.map((each, index) => ({ course: index + 1, decisions: each }));
  /** The reference bot, with a decision every second tick. */
  const createFlaps = (): string => {
    const bot = game.bots.reference();
    let decisions = "";
    while (countDecisions(decisions) < 100) {
      const move = bot(toPlayFrame(game, play(decisions)));
      decisions = addDecision(decisions, { code: move === null ? "none" : code, ticks: 2 });
    }
    return decisions;
  };
  const thinkers = [
    { id: BOB, agentId: "2", courses: courses(".100") },
    { id: ALICE, agentId: "1", courses: courses(createFlaps(), ".1 .1") },
  ];
  const round = { ...SEASON, thinkers: rankThinkers(game, SEASON, thinkers) };

  it("adds the points of all courses", () => {
    for (const { id, points, courses: played } of round.thinkers) {
      expect(points).to.equal(played.reduce((sum, { score }) => sum + score, 0));
      for (const { course, decisions, score, ticks } of played) {
        const { score: expected, tick } = play(decisions, course, id);
        expect({ score, ticks }).to.deep.equal({ score: expected, ticks: tick });
      }
    }
    expect(round.thinkers[0]).to.include({ id: ALICE });
    expect(round.thinkers[0]!.points).to.be.greaterThan(0);
    expect(checkThinkers(game, round)).to.deep.equal([]);
  });

  it("ranks by points, then by fewer decisions, then by wallet", () => {
    const rank = (...list: Parameters<typeof rankThinkers>[2]) => rankThinkers(game, SEASON, list).map(({ id }) => id);
    const [more, fewer] = [courses(".1 .1"), courses(".2")];
    expect(rank({ id: ALICE, agentId: "1", courses: more }, { id: BOB, agentId: "2", courses: fewer })).to.deep.equal([
      BOB,
      ALICE,
    ]);
    expect(rank({ id: BOB, agentId: "2", courses: fewer }, { id: ALICE, agentId: "1", courses: fewer })).to.deep.equal([
      ALICE,
      BOB,
    ]);
    const points = round.thinkers.map((thinker) => thinker.points);
    expect(points).to.deep.equal([...points].sort((one, other) => other - one));
  });

  it("is checked: each changed field of a file is found", () => {
    const change = (apply: (thinker: Thinker) => unknown): readonly string[] => {
      const copy = structuredClone(round);
      apply(copy.thinkers[0]!);
      return checkThinkers(game, copy);
    };
    expect(change((thinker) => Object.assign(thinker, { points: thinker.points + 1 }))).to.have.length(1);
    expect(change((thinker) => Object.assign(thinker.courses[0]!, { score: -1 }))).to.have.length(1);
    expect(change((thinker) => Object.assign(thinker.courses[0]!, { ticks: 1 }))).to.have.length(1);
    expect(change((thinker) => Object.assign(thinker.courses[1]!, { decisions: ".1 .1 .1" }))).to.not.deep.equal([]);
    expect(change((thinker) => Object.assign(thinker.courses[1]!, { course: 1 }))).to.not.deep.equal([]);
    const most = Array.from({ length: THINKING_RULES.decisions + 1 }, () => ".1").join(" ");
    expect(change((thinker) => Object.assign(thinker.courses[1]!, { decisions: most })).join("\n")).to.include(
      "after its end",
    );
    expect(checkThinkers(game, { ...round, thinkers: [...round.thinkers].reverse() })).to.not.deep.equal([]);
  });
});
