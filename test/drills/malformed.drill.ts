/**
 * Sends 10,000 malformed requests while a player plays, without limits, so that each reaches the checks behind them, and
 * with them, from many addresses. What may never happen: a crash, a response of 5xx, a
 * failure that is not typed, memory that is not released, a tick that the player misses.
 * `DRILL_SEED` and `DRILL_REQUESTS` repeat or lengthen it; `DRILL_SELF_TEST=1` lets one route's handler throw, which has
 * to turn it red.
 */
import { expect } from "chai";
import { routes } from "../../backend/http/routes/index.ts";
import { startTestStack, type TestStack } from "../helpers/suite.ts";
import { runMalformedRequests } from "../http/support/malformed-run.ts";

const SEED = Number(process.env.DRILL_SEED ?? Date.now() % 1_000_000);
const REQUESTS = Number(process.env.DRILL_REQUESTS ?? 10_000);
const IS_SELF_TEST = process.env.DRILL_SELF_TEST === "1";
/** Sessions that anonymous callers opened, and the idempotency of what succeeded, stay for a while. */
const HEAP_GROWTH_MAX_BYTES = 24 * 2 ** 20;

for (const limits of ["off", "on"] as const)
  describe(`malformed requests by the thousand, limits ${limits}`, function () {
    this.timeout(600_000);
    let stack: TestStack;
    const patchedRoute = routes.find(({ name }) => name === "games.get")!;
    const { handle } = patchedRoute;

    before(async () => {
      console.log(`      DRILL_SEED=${SEED} DRILL_REQUESTS=${REQUESTS}`);
      if (IS_SELF_TEST) Object.assign(patchedRoute, { handle: () => Promise.reject(new TypeError("injected")) });
      stack = await startTestStack({ env: { ARCADE_RATE_LIMITS: limits } });
    });
    after(async () => {
      Object.assign(patchedRoute, { handle });
      await stack?.close();
    });

    it("malformed requests crash nothing, keep no memory and do not affect other clients", async () => {
      const { breaches, statuses, codes, heapGrowthBytes, player, seconds } = await runMalformedRequests(
        stack,
        SEED,
        REQUESTS,
      );
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
