import { expect } from "chai";
import type { SeasonRow, ThinkingRow } from "../../../../backend/ports/store/league.ts";
import type { Store } from "../../../../backend/ports/store/store.ts";
import { ALICE, BASE_TIME_MS, BOB } from "../rows.ts";
import { describeStore } from "../suite.ts";

const SLUG = "flappybots";
const CLOSES_MS = BASE_TIME_MS + 1000;
const OPENED = { slug: SLUG, opensAtMs: BASE_TIME_MS, closesAtMs: CLOSES_MS, serverSeed: "0x01" } as const;
const OPTIONS = { nowMs: BASE_TIME_MS, thinkersMax: 100 };

const createRow = (decisionCount: number, change: Partial<ThinkingRow> = {}): ThinkingRow => ({
  ...{ slug: SLUG, season: 1, wallet: ALICE, agentId: "1", course: 1 },
  decisions: Array.from({ length: decisionCount }, () => ".1").join(" "),
  ...{ decisionCount, score: decisionCount * 10, ...change },
});
const decide = ({ league }: Store, decisionCount: number, change: Partial<ThinkingRow> = {}, options = {}) =>
  league.decide(createRow(decisionCount, change), { ...OPTIONS, ...options });
const toWallet = (index: number): `0x${string}` => `0x${String(index).padStart(40, "0")}`;

describeStore("courses of thinkers", (store, { other, runConcurrently }) => {
  let season: SeasonRow;
  beforeEach(async () => {
    await store.league.openFirst(OPENED);
    season = (await store.league.findCurrent(SLUG))!;
  });

  it("take each decision once, the next one only", async () => {
    for (const decisionCount of [1, 2, 3]) {
      const outcomes = await runConcurrently((each, index) => decide(each, decisionCount, { score: index }));
      expect(outcomes.filter((outcome) => outcome === "stored")).to.have.length(1);
      expect(new Set(outcomes)).to.deep.equal(new Set(["stored", "late"]));
      const row = (await other.league.findThinking(season, ALICE, 1))!;
      expect(row).to.deep.equal(createRow(decisionCount, { score: outcomes.indexOf("stored") }));
    }
    expect(await decide(store, 5)).to.equal("late");
    expect(await decide(store, 2, { course: 2 })).to.equal("late");
    expect((await store.league.listThinking(season)).map(({ decisionCount }) => decisionCount)).to.deep.equal([3]);
  });

  it("take none at the deadline, after it, of another season, or once the policies are fixed", async () => {
    expect(await decide(store, 1, {}, { nowMs: CLOSES_MS - 1 })).to.equal("stored");
    for (const nowMs of [CLOSES_MS, CLOSES_MS + 1]) expect(await decide(store, 2, {}, { nowMs })).to.equal("closed");
    expect(await decide(store, 1, { season: 2 })).to.equal("closed");
    await store.league.fixPolicies(season, CLOSES_MS);
    expect(await decide(store, 2, {}, { nowMs: CLOSES_MS - 1 })).to.equal("closed");
    expect((await store.league.findThinking(season, ALICE, 1))!.decisionCount).to.equal(1);
  });

  it("have so many thinkers and no more, also at once; those of a full season continue", async () => {
    const outcomes = await runConcurrently((each, index) =>
      decide(each, 1, { wallet: toWallet(index) }, { thinkersMax: 7 }),
    );
    expect(outcomes.filter((outcome) => outcome === "stored")).to.have.length(7);
    expect(outcomes.filter((outcome) => outcome === "full")).to.have.length(43);
    const [{ wallet } = { wallet: ALICE }] = await store.league.listThinking(season);
    expect(await decide(store, 2, { wallet }, { thinkersMax: 7 })).to.equal("stored");
    expect(await decide(store, 1, { wallet, course: 2 }, { thinkersMax: 7 })).to.equal("stored");
  });

  it("rank by points, then by fewer decisions, then by wallet", async () => {
    const [low, fewer, more] = [toWallet(1), toWallet(2), toWallet(3)];
    await decide(store, 1, { wallet: low, score: 5 });
    for (const wallet of [more, BOB, fewer]) await decide(store, 1, { wallet, score: 8 });
    await decide(store, 2, { wallet: more, score: 8 });
    for (const wallet of [more, BOB, fewer]) await decide(store, 1, { wallet, course: 2, score: 1 });
    const list = await store.league.listThinkers(season, 10);
    expect(list.map(({ wallet }) => wallet)).to.deep.equal([...[fewer, BOB].sort(), more, low]);
    expect(list[2]).to.deep.equal({ wallet: more, agentId: "1", points: 9, courses: 2, decisions: 3 });
    expect((await store.league.listThinkers(season, 2)).map(({ wallet }) => wallet)).to.have.length(2);
    expect(await store.league.listThinkers({ slug: SLUG, season: 2 }, 10)).to.deep.equal([]);
  });

  it("go with their season", async () => {
    await decide(store, 1);
    await decide(store, 1, { wallet: BOB, course: 5 });
    expect((await store.league.listThinking(season)).map(({ course }) => course).sort()).to.deep.equal([1, 5]);
    await store.league.finish(season, null, { ...OPENED, closesAtMs: CLOSES_MS + 10 });
    expect(await store.league.listThinking(season)).to.deep.equal([]);
    expect(await store.league.findThinking(season, ALICE, 1)).to.equal(null);
  });
});
