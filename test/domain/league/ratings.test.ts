import { expect } from "chai";
import { ANCHOR_RATING, computeRatings, type Rated } from "../../../domain/league/ratings.ts";

/** A repeatable uniform number. */
function createUniform(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 4294967296;
  };
}

/** Scores whose order follows Bradley and Terry: strength plus Gumbel noise. */
function createRuns(strengths: readonly number[], courses: number): Rated[] {
  const uniform = createUniform(7);
  return strengths.map((strength, index) => ({
    id: `p${String(index).padStart(2, "0")}`,
    runs: Array.from({ length: courses }, () => ({
      score: Math.round(1e6 * (strength - Math.log(-Math.log(uniform())))),
      forfeit: null,
    })),
  }));
}

const FORFEIT = { reason: "fuel", text: "", tick: 0, line: null, column: null } as const;

describe("the ratings of a round", () => {
  it("recover the known strengths of 20 policies from 50 courses, with a rank correlation of at least 0.98", () => {
    const strengths = Array.from({ length: 20 }, (_, index) => index * 0.25);
    const ratings = computeRatings(createRuns(strengths, 50), "p10");
    const ranks = ratings.map(({ id }) => Number(id.slice(1)));
    const squares = ranks.reduce((sum, id, place) => sum + (19 - place - id) ** 2, 0);
    const spearman = 1 - (6 * squares) / (20 * (20 ** 2 - 1));
    expect(spearman).to.be.at.least(0.98);
  });

  it("give the anchor 1500 without an interval, and intervals that mostly contain the true difference", () => {
    const strengths = Array.from({ length: 20 }, (_, index) => index * 0.25);
    const ratings = computeRatings(createRuns(strengths, 50), "p10");
    expect(ratings.find(({ id }) => id === "p10")).to.include({ rating: 1500, low: 1500, high: 1500 });
    const toTrueRating = (id: string): number =>
      ANCHOR_RATING + (400 / Math.LN10) * (strengths[Number(id.slice(1))]! - 2.5);
    const held = ratings.filter(({ id, low, high }) => low <= toTrueRating(id) && toTrueRating(id) <= high);
    expect(held.length).to.be.at.least(16);
  });

  it("do not depend on the order of the policies", () => {
    const rated = createRuns([0, 1, 2], 20);
    expect(computeRatings([...rated].reverse(), "p01")).to.deep.equal(computeRatings(rated, "p01"));
  });

  it("stay finite when one wins everything, and count wins, losses and ties", () => {
    const run = (score: number) => ({ score, forfeit: null });
    const ratings = computeRatings(
      [
        { id: "best", runs: [run(9), run(9), run(9)] },
        { id: "even", runs: [run(1), run(1), run(9)] },
        { id: "worst", runs: [run(1), run(0), run(8)] },
      ],
      "even",
    );
    expect(ratings.map(({ id }) => id)).to.deep.equal(["best", "even", "worst"]);
    expect(ratings[0]).to.include({ wins: 5, losses: 0, ties: 1 });
    expect(ratings[0]!.high).to.be.below(5000);
  });

  it("count a forfeited course as lost against every other, whatever its score", () => {
    const lost = { score: 100, forfeit: FORFEIT };
    const ratings = computeRatings(
      [
        { id: "a", runs: [lost, lost] },
        { id: "b", runs: [{ score: 0, forfeit: null }, lost] },
      ],
      "b",
    );
    expect(ratings.find(({ id }) => id === "b")).to.include({ wins: 1, losses: 0, ties: 1 });
  });
});
