import { expect } from "chai";
import fc from "fast-check";
import type { RunQuery, SessionRow } from "../../../../backend/ports/store/sessions.ts";
import type { Store } from "../../../../backend/ports/store/store.ts";
import { PERIODS, RUN_SORTS, toBoardKey } from "../../../../domain/leaderboard.ts";
import { openMemoryStore } from "../../../helpers/template.ts";
import { BASE_TIME_MS, createId, storeEndedSession } from "../rows.ts";

const SLUG = "shellrunners";
const DAY_MS = 86_400_000;

interface Play {
  readonly slug: string;
  readonly agentId: string;
  readonly score: number;
  readonly endedAtMs: number;
  readonly outcome: "verified" | "withheld" | "pending" | "practice" | "withheld later";
}

async function storePlay(store: Store, { slug, agentId, score, endedAtMs, outcome }: Play): Promise<SessionRow> {
  const sessionId = createId();
  const source = outcome === "practice" ? "browser_ws" : "agent_api";
  const row = await storeEndedSession(store, { slug, agentId, sessionId, source }, { score, endedAtMs });
  if (outcome !== "pending")
    await store.sessions.setVerification(sessionId, outcome === "withheld" ? "withheld" : "verified");
  if (outcome === "withheld later")
    await store.operator.withholdScore(sessionId, "a test", { auditId: createId(), who: "tester", atMs: BASE_TIME_MS });
  return row;
}

/** The ids of a list of runs, from all rows. */
function computeRuns(
  rows: readonly (SessionRow & Pick<Play, "outcome">)[],
  { slug, sort, period, nowMs, agentId }: Omit<RunQuery, "page" | "limit">,
): string[] {
  const runs = rows.filter(
    (row) =>
      row.outcome === "verified" &&
      row.slug === slug &&
      (agentId === null || row.agentId === agentId) &&
      toBoardKey(slug, period, row.endedAtMs!) === toBoardKey(slug, period, nowMs),
  );
  const byEnd = (a: SessionRow, b: SessionRow) => a.endedAtMs! - b.endedAtMs! || (a.sessionId < b.sessionId ? -1 : 1);
  runs.sort(sort === "recent" ? (a, b) => byEnd(b, a) : (a, b) => b.score - a.score || byEnd(a, b));
  return runs.map(({ sessionId }) => sessionId);
}

const plays = fc.array(
  fc.record<Play>({
    slug: fc.constantFrom(SLUG, SLUG, "flappybots"),
    agentId: fc.constantFrom("1", "2"),
    score: fc.constantFrom(0, 5, 9, 100),
    // No run ends after the time that a list is asked for.
    endedAtMs: fc
      .constantFrom(0, 1, 3 * 3_600_000, DAY_MS, 6 * DAY_MS, 20 * DAY_MS, 40 * DAY_MS)
      .map((ms) => BASE_TIME_MS - ms),
    outcome: fc.constantFrom("verified", "verified", "verified", "withheld", "pending", "practice", "withheld later"),
  }),
  { maxLength: 9 },
);

describe("lists of runs", function () {
  this.timeout(60_000);

  it("equal a recount of all rows for any sessions, sort, period and agent", async () => {
    await fc.assert(
      fc.asyncProperty(plays, async (all) => {
        const store = await openMemoryStore();
        try {
          const rows = [];
          for (const one of all) rows.push({ ...(await storePlay(store, one)), outcome: one.outcome });
          for (const sort of RUN_SORTS)
            for (const period of PERIODS)
              for (const agentId of ["1", null]) {
                const query = { slug: SLUG, sort, period, nowMs: BASE_TIME_MS, agentId };
                const expected = computeRuns(rows, query);
                const pages = await Promise.all(
                  [1, 2, 3].map((page) => store.sessions.listRuns({ ...query, page, limit: 3 })),
                );
                const ids = pages.flatMap(({ items }) => items.map(({ sessionId }) => sessionId));
                expect(ids, JSON.stringify(query)).to.deep.equal(expected);
                for (const { total } of pages) expect(total).to.equal(expected.length);
              }
        } finally {
          await store.close();
        }
      }),
      { numRuns: 20, seed: 20_26 },
    );
  });
});
