import { expect } from "chai";
import { describePostgres } from "../../helpers/postgres.ts";
import { runAllQueries } from "./all-queries.ts";
import { usePostgresStores } from "./postgres-stores.ts";
import { storeEndedSession } from "./rows.ts";

/** A step of a plan, as `explain (format json)` shows it. */
interface Step {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly Plans?: readonly Step[];
}

/** The table with a row for each backend. */
const SMALL_TABLES: ReadonlySet<string | undefined> = new Set(["nodes"]);

const listSteps = (step: Step): readonly Step[] => [step, ...(step.Plans ?? []).flatMap(listSteps)];

describePostgres("query plans on PostgreSQL", () => {
  const database = usePostgresStores();

  /** The planner prefers full scans of small tables, so these are made costly. Those that remain lack an index. */
  it("use no full table scan", async () => {
    const queries = new Set<string>();
    let isCollecting = false;
    const store = await database.open({
      onQuery: ({ sql }) => {
        if (isCollecting && /^(select|update|delete)/.test(sql)) queries.add(sql);
      },
    });
    await storeEndedSession(store);
    isCollecting = true;
    await runAllQueries(store);
    expect(queries.size).to.be.greaterThan(60);

    const client = await database.connect();
    await client.query("set enable_seqscan = off; set plan_cache_mode = force_generic_plan");
    const found: string[] = [];
    for (const query of queries) {
      await client.query(`prepare planned as ${query}`);
      const count = new Set(query.match(/\$\d+/g) ?? []).size;
      const values = count === 0 ? "" : `(${Array(count).fill("null").join(", ")})`;
      const { rows } = await client.query(`explain (format json) execute planned${values}`);
      const [{ Plan: plan }] = rows[0]["QUERY PLAN"] as readonly [{ readonly Plan: Step }];
      for (const step of listSteps(plan))
        if (step["Node Type"] === "Seq Scan" && !SMALL_TABLES.has(step["Relation Name"]))
          found.push(`${step["Relation Name"]} <- ${query}`);
      await client.query("deallocate planned");
    }
    expect(found).to.deep.equal([]);
  });
});
