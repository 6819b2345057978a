/**
 * Sends 10,000 malformed requests while a player plays: without limits, so that each reaches the checks behind them,
 * and with limits, from many addresses. What may never happen: a crash, a 5xx response, a failure that is not typed,
 * memory that is not released, a tick that the player misses. `DRILL_SEED` and `DRILL_SHARE` repeat or shorten it;
 * `DRILL_SELF_TEST=1` makes one route's handler throw, which must turn it red.
 */
import { expect } from "chai";
import { routes } from "../../backend/http/routes/index.ts";
import { startTestStack, type TestStack } from "../../test/helpers/suite.ts";
import { runMalformedRequests } from "../../test/http/support/malformed-run.ts";
import { expectFigure, IS_SELF_TEST, PATIENT_WITH_CHAIN, printFigures, SEED, scaleCount } from "./support/drill.ts";

const REQUESTS = scaleCount(10_000);
/** Anonymous callers' sessions and the idempotency records of successful requests are kept for a while. */
const HEAP_GROWTH_MAX_BYTES = 24 * 2 ** 20;

for (const limits of ["off", "on"] as const)
  describe(`malformed requests by the thousand, limits ${limits}`, function () {
    this.timeout(600_000);
    let stack: TestStack;
    const patchedRoute = routes.find(({ name }) => name === "games.get")!;
    const { handle } = patchedRoute;

    before(async () => {
      if (IS_SELF_TEST) Object.assign(patchedRoute, { handle: () => Promise.reject(new TypeError("injected")) });
      stack = await startTestStack({ env: { ...PATIENT_WITH_CHAIN, ARCADE_RATE_LIMITS: limits } });
    });
    after(async () => {
      Object.assign(patchedRoute, { handle });
      await stack?.close();
    });

    it("malformed requests crash nothing, leak no memory and do not affect other clients", async () => {
      const { breaches, statuses, codes, heapGrowthBytes, player, seconds } = await runMalformedRequests(
        stack,
        SEED,
        REQUESTS,
      );
      printFigures({
        limits,
        requests: REQUESTS,
        seconds: seconds.toFixed(1),
        statuses: JSON.stringify(statuses),
        codes: JSON.stringify(codes),
        "heap growth": `${(heapGrowthBytes / 2 ** 20).toFixed(1)} MiB`,
        "the player's ticks": player.ticks,
        "p99 of the gaps between them": `${player.gapP99Ms.toFixed(1)} ms`,
      });
      expect(breaches).to.deep.equal([]);
      expect(Object.values(statuses).reduce((sum, count) => sum + count, 0)).to.equal(REQUESTS);
      expect(player.ticks).to.be.greaterThan(0);
      expect(player.jumps, "the player missed frames").to.equal(0);
      expect(player.endings.filter((reason) => reason !== "lives_lost")).to.deep.equal([]);
      expectFigure(() => expect(heapGrowthBytes, "memory stays").to.be.below(HEAP_GROWTH_MAX_BYTES));
    });
  });
