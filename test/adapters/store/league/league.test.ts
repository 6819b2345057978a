import { expect } from "chai";
import type { PolicyRow, SeasonRow } from "../../../../backend/ports/store/league.ts";
import type { Store } from "../../../../backend/ports/store/store.ts";
import { computePoliciesDigest, computeTextDigest } from "../../../../domain/league/round.ts";
import { ALICE, BASE_TIME_MS, BOB } from "../rows.ts";
import { describeStore } from "../suite.ts";

const SLUG = "flappybots";
const CLOSES_MS = BASE_TIME_MS + 1000;
const OPENED = { slug: SLUG, opensAtMs: BASE_TIME_MS, closesAtMs: CLOSES_MS, serverSeed: "0x01" } as const;
const PLAYED = { file: Buffer.from("file"), policies: 1, courses: 50, winner: ALICE } as const;

const createPolicy = (change: Partial<PolicyRow> = {}): PolicyRow => {
  const { text = "() => null" } = change;
  return {
    ...{ slug: SLUG, season: 1, wallet: ALICE, agentId: "1", text, digest: computeTextDigest(text) },
    ...{ bytes: text.length, submittedAtMs: BASE_TIME_MS },
    ...change,
  };
};
const submit = ({ league }: Store, change: Partial<PolicyRow> = {}, policiesMax = 10) =>
  league.submit(createPolicy(change), policiesMax);
const toWallet = (index: number): `0x${string}` => `0x${String(index).padStart(40, "0")}`;

describeStore("seasons of the league", (store, { other, runConcurrently }) => {
  let season: SeasonRow;
  beforeEach(async () => {
    await runConcurrently(({ league }, index) => league.openFirst({ ...OPENED, serverSeed: `0x${index}` }));
    season = (await store.league.findCurrent(SLUG))!;
  });

  it("open once for each game, whoever asks first", async () => {
    const { season: number, closesAtMs } = season;
    expect({ number, closesAtMs }).to.deep.equal({ number: 1, closesAtMs: CLOSES_MS });
    await store.league.openFirst({ ...OPENED, serverSeed: "0xff" });
    expect(await other.league.findCurrent(SLUG)).to.deep.equal(season);
    expect(await store.league.findCurrent("shellrunners")).to.equal(null);
  });

  it("take a policy before their deadline, and none at it or after it", async () => {
    expect(await submit(store, { submittedAtMs: CLOSES_MS - 1 })).to.equal("stored");
    for (const submittedAtMs of [CLOSES_MS, CLOSES_MS + 1])
      expect(await submit(store, { wallet: BOB, submittedAtMs })).to.equal("closed");
    expect(await submit(store, { wallet: BOB, season: 2 })).to.equal("closed");
    expect(await store.league.countPolicies(season)).to.equal(1);
  });

  it("keep the last policy of each wallet", async () => {
    await submit(store);
    await submit(other, { text: "() => 1", agentId: "2", submittedAtMs: BASE_TIME_MS + 5 });
    await submit(store, { wallet: BOB });
    const policy = await store.league.findPolicy(season, ALICE);
    expect(policy).to.deep.equal(createPolicy({ text: "() => 1", agentId: "2", submittedAtMs: BASE_TIME_MS + 5 }));
    const list = await store.league.listPolicies(season);
    expect(list.map(({ wallet }) => wallet)).to.have.members([ALICE, BOB]);
    expect(list[0]).to.not.have.property("text");
    expect(await store.league.findPolicy({ slug: "shellrunners", season: 1 }, ALICE)).to.equal(null);
  });

  it("take so many policies and no more, also at once; a full season's can be replaced", async () => {
    const outcomes = await runConcurrently((each, index) => submit(each, { wallet: toWallet(index) }, 7));
    expect(outcomes.filter((outcome) => outcome === "stored")).to.have.length(7);
    expect(outcomes.filter((outcome) => outcome === "full")).to.have.length(43);
    const [{ wallet } = { wallet: ALICE }] = await store.league.listPolicies(season);
    expect(await submit(store, { wallet, text: "() => 2" }, 7)).to.equal("stored");
    expect(await store.league.countPolicies(season)).to.equal(7);
  });

  it("fix the list of policies once, not before the deadline, and take none afterward", async () => {
    await submit(store);
    await store.league.fixPolicies(season, CLOSES_MS - 1);
    expect((await store.league.findCurrent(SLUG))!.policiesDigest).to.equal(null);
    const outcomes = await runConcurrently(async (each, index) => {
      if (index % 5 !== 0) return submit(each, { wallet: toWallet(index), submittedAtMs: CLOSES_MS - 1 }, 100);
      await each.league.fixPolicies(season, CLOSES_MS);
      return "fixed";
    });
    const list = await store.league.listPolicies(season);
    expect(list).to.have.length(1 + outcomes.filter((outcome) => outcome === "stored").length);
    const digest = computePoliciesDigest(list.map(({ wallet, digest }) => ({ id: wallet, digest })));
    expect((await other.league.findCurrent(SLUG))!.policiesDigest).to.equal(digest);
    expect(await submit(store, { wallet: BOB })).to.equal("closed");
  });

  it("keep the first block that one of several backends sets", async () => {
    await store.league.setBlock(season, { number: 7, hash: "0x07" });
    await other.league.setBlock(season, { number: 8, hash: "0x08" });
    const { blockNumber, blockHash } = (await store.league.findCurrent(SLUG))!;
    expect({ blockNumber, blockHash }).to.deep.equal({ blockNumber: 7, blockHash: "0x07" });
  });

  it("end once, with the round of one backend, and the next one opens without a policy", async () => {
    await submit(store);
    await store.league.fixPolicies(season, CLOSES_MS);
    const ended = await runConcurrently(({ league }, index) =>
      league.finish(
        season,
        { ...PLAYED, file: Buffer.from(String(index)) },
        { ...OPENED, opensAtMs: CLOSES_MS + 5, closesAtMs: CLOSES_MS + 10, serverSeed: "0x02" },
      ),
    );
    expect(ended.filter((isFirst) => isFirst)).to.have.length(1);
    const file = Buffer.from((await other.league.findRound(season))!).toString();
    expect(ended[Number(file)]).to.equal(true);
    const next = (await store.league.findCurrent(SLUG))!;
    const { season: number, serverSeed, policiesDigest, blockNumber } = next;
    expect([number, serverSeed, policiesDigest, blockNumber]).to.deep.equal([2, "0x02", null, null]);
    expect([await store.league.countPolicies(season), await store.league.countPolicies(next)]).to.deep.equal([0, 0]);
    const played = await store.league.listPlayed(SLUG, 10);
    expect(played.map(({ season, winner, finishedAtMs }) => [season, winner, finishedAtMs])).to.deep.equal([
      [1, ALICE, CLOSES_MS + 5],
    ]);
  });

  it("list those that were played, the newest first, and not those without policies", async () => {
    for (const round of [PLAYED, null, PLAYED, PLAYED])
      await store.league.finish((await store.league.findCurrent(SLUG))!, round, OPENED);
    const list = async (limit: number) => (await store.league.listPlayed(SLUG, limit)).map(({ season }) => season);
    expect(await list(10)).to.deep.equal([4, 3, 1]);
    expect(await list(2)).to.deep.equal([4, 3]);
    expect(await store.league.findRound({ slug: SLUG, season: 2 })).to.equal(null);
    expect(await store.league.findRound({ slug: SLUG, season: 9 })).to.equal(null);
  });
});
