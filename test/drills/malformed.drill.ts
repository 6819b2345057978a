/**
 * 10,000 requests that nobody should send, while somebody plays. What may never happen: a crash, an answer of 5xx, a
 * failure that is not typed, memory that stays, a tick that the player misses.
 * `DRILL_SEED` and `DRILL_REQUESTS` repeat or lengthen it; `DRILL_PLANTED=1` lets one route's handler throw, which has
 * to turn it red.
 */
import { expect } from "chai";
import { routes } from "../../backend/http/routes/index.ts";
import { type Suite, startSuite } from "../helpers/suite.ts";
import { runMalformed } from "../http/support/malformed-run.ts";

const SEED = Number(process.env.DRILL_SEED ?? Date.now() % 1_000_000);
const REQUESTS = Number(process.env.DRILL_REQUESTS ?? 10_000);
const IS_PLANTED = process.env.DRILL_PLANTED === "1";
/** Sessions that anonymous callers opened, and the idempotency of what succeeded, stay for a while. */
const HEAP_GROWTH_MAX_BYTES = 24 * 2 ** 20;

describe("malformed requests by the thousand", function () {
  this.timeout(600_000);
  let suite: Suite;
  const planted = routes.find(({ name }) => name === "games.get")!;
  const { handle } = planted;

  before(async () => {
    console.log(`      DRILL_SEED=${SEED} DRILL_REQUESTS=${REQUESTS}`);
    if (IS_PLANTED) Object.assign(planted, { handle: () => Promise.reject(new TypeError("planted")) });
    suite = await startSuite();
  });
  after(async () => {
    Object.assign(planted, { handle });
    await suite?.close();
  });

  it("crash nothing, keep nothing and disturb nobody", async () => {
    const { breaches, statuses, codes, heapGrowthBytes, player, seconds } = await runMalformed(suite, SEED, REQUESTS);
    const megabytes = (heapGrowthBytes / 2 ** 20).toFixed(1);
    console.log(`      ${REQUESTS} requests in ${seconds.toFixed(1)} s: ${JSON.stringify(statuses)}`);
    console.log(`      ${JSON.stringify(codes)}`);
    console.log(
      `      heap grew by ${megabytes} MiB; the player saw ${player.ticks} ticks in ${player.games} games, ` +
        `p99 ${player.gapP99Ms.toFixed(1)} ms apart`,
    );
    expect(breaches).to.deep.equal([]);
    expect(Object.values(statuses).reduce((sum, count) => sum + count, 0)).to.equal(REQUESTS);
    expect(heapGrowthBytes, "memory stays").to.be.below(HEAP_GROWTH_MAX_BYTES);
    expect(player.ticks).to.be.greaterThan(0);
    expect(player.jumps, "the player missed frames").to.equal(0);
    expect(player.endings.filter((reason) => reason !== "lives_lost")).to.deep.equal([]);
  });
});
