/** PostgreSQL behind a pooler. */
import { expect } from "chai";
import { openStore } from "../../backend/adapters/store/open-store.ts";
import { AdvisoryLock } from "../../backend/adapters/store/postgres/advisory-lock.ts";
import { toClientConfig } from "../../backend/adapters/store/postgres/pool.ts";
import { PoolerError } from "../../backend/adapters/store/postgres/pooler.ts";
import { systemClock } from "../../backend/adapters/system/clock.ts";
import { createLog } from "../../backend/adapters/system/log.ts";
import type { Clock } from "../../backend/ports/system.ts";
import { describeBetween, type RunningProgram, startPgBouncer } from "../helpers/in-between.ts";
import { usePostgres } from "../helpers/postgres.ts";
import { waitUntil } from "../helpers/wait-until.ts";

interface Pooler {
  readonly title: string;
  readonly settings: readonly string[];
  /** Part of the error; absent if the store works. */
  readonly refusal?: RegExp;
  readonly query?: string;
}

const IGNORED =
  "ignore_startup_parameters = extra_float_digits,options,statement_timeout,idle_in_transaction_session_timeout";

const POOLERS: readonly Pooler[] = [
  { title: "session mode, as Debian installs it", settings: ["pool_mode = session"] },
  { title: "session mode with round robin", settings: ["pool_mode = session", "server_round_robin = 1"] },
  { title: "transaction mode", settings: ["pool_mode = transaction"], refusal: /between transactions.*session mode/s },
  {
    title: "transaction mode, parameters ignored",
    settings: ["pool_mode = transaction", IGNORED],
    refusal: /between transactions/,
  },
  {
    title: "transaction mode with round robin",
    settings: ["pool_mode = transaction", "server_round_robin = 1"],
    refusal: /between transactions/,
  },
  {
    title: "transaction mode with one connection",
    settings: ["pool_mode = transaction", "default_pool_size = 1"],
    refusal: /between transactions/,
  },
  { title: "statement mode", settings: ["pool_mode = statement"], refusal: /between transactions/ },
  {
    title: "session mode with one connection",
    settings: ["pool_mode = session", "default_pool_size = 1"],
    refusal: /pool size/,
  },
  {
    title: "a parameter of the URL",
    settings: ["pool_mode = session"],
    query: "?options=-csearch_path%3Dpublic",
    refusal: /unsupported startup parameter.*leave the parameter out/,
  },
];

describeBetween("a store behind PgBouncer", () => {
  const server = usePostgres();
  let pooler: RunningProgram | undefined;
  let databaseUrl: string;
  beforeEach(async () => {
    databaseUrl = await server().createDatabase();
  });
  afterEach(async () => {
    await pooler?.stop();
    pooler = undefined;
    await server().dropDatabase(databaseUrl);
  });

  const log = createLog("silent");
  const open = async ({ settings, query = "" }: Pick<Pooler, "settings" | "query">) => {
    pooler = await startPgBouncer(databaseUrl, settings);
    const url = `postgres://postgres@127.0.0.1:${pooler.port}/arcade${query}`;
    const node = { clock: systemClock, log, url: null, isExclusive: false, onLost: () => undefined };
    return openStore({ databaseUrl: url, node });
  };

  for (const one of POOLERS)
    it(`${one.refusal === undefined ? "works" : "is refused"}: ${one.title}`, async () => {
      const opened = await open(one).catch((error: unknown) => error as Error);
      if (opened instanceof Error) {
        expect(opened).to.be.instanceOf(PoolerError);
        expect(opened.message)
          .to.match(one.refusal ?? /never/)
          .and.include("PgBouncer");
        expect(opened.message).not.to.include("postgres@");
        return;
      }
      try {
        expect(one.refusal, "expected a refusal").to.equal(undefined);
        await opened.probe();
        await waitUntil(() => opened.singletons.indexer.isHeld());
      } finally {
        await opened.close();
      }
    });

  it("never gives a lock to two backends, even through a pooler that shares their sessions", async () => {
    pooler = await startPgBouncer(databaseUrl, ["pool_mode = transaction"]);
    const config = toClientConfig(`postgres://postgres@127.0.0.1:${pooler.port}/arcade`);
    const open = () => {
      let polls = 0;
      const count: Clock["after"] = (ms, run) => {
        polls += 1;
        return systemClock.after(ms, run);
      };
      const lock = new AdvisoryLock(config, { key: 7, log, clock: { ...systemClock, after: count } });
      return { lock, getPolls: () => polls };
    };
    const [first, second] = [open(), open()];
    try {
      for (const polls of [1, 2, 3, 4]) {
        await waitUntil(() => first.getPolls() >= polls && second.getPolls() >= polls);
        expect([first, second].filter(({ lock }) => lock.isHeld())).to.have.length.of.at.most(1);
      }
    } finally {
      await Promise.all([first.lock.stop(), second.lock.stop()]);
    }
  });
});
