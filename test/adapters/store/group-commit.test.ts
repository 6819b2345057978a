import Database from "better-sqlite3";
import { expect } from "chai";
import { CamelCasePlugin, Kysely, sql } from "kysely";
import { type Connection, openConnection } from "../../../backend/adapters/store/connection.ts";
import { toStorageError } from "../../../backend/adapters/store/failures.ts";
import { GroupCommit } from "../../../backend/adapters/store/group-commit.ts";
import type { Db, Schema } from "../../../backend/adapters/store/schema.ts";
import { createSqliteDialect, openSqliteFile } from "../../../backend/adapters/store/sqlite.ts";
import { getRejection, useDiskWaits, useTempDatabase } from "./suite.ts";

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("the group commit", () => {
  const folder = useTempDatabase();
  const countWaits = useDiskWaits();
  let kysely: Kysely<Schema>;
  /** Another connection, which sees only committed rows. */
  let other: Database.Database;
  let commits = 0;
  let group: GroupCommit;
  let waitForDisk: () => Promise<void>;

  beforeEach(() => {
    const database = openSqliteFile(folder.databaseUrl);
    database.exec("create table notes (id integer primary key)");
    kysely = new Kysely({ dialect: createSqliteDialect(database), plugins: [new CamelCasePlugin()] });
    other = new Database(folder.file);
    commits = 0;
    waitForDisk = async () => undefined;
    group = new GroupCommit(
      (run) => {
        commits += 1;
        return kysely.transaction().execute(run);
      },
      { waitForDisk: () => waitForDisk() },
    );
  });
  afterEach(async () => {
    other.close();
    await kysely.destroy();
  });

  const committed = (): number[] => other.prepare("select id from notes order by id").pluck().all() as number[];
  const add = (id: number) => async (db: Db) => {
    await sql`insert into notes (id) values (${id})`.execute(db);
    return id;
  };
  const ids = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

  it("commits simultaneous calls in few transactions, and resolves each after its commit, in their order", async () => {
    const order: number[] = [];
    const values = await Promise.all(
      ids(200).map(async (id) => {
        const value = await group.write(add(id));
        expect(committed()).to.include(id);
        order.push(value);
        return value;
      }),
    );
    for (const all of [values, order, committed()]) expect(all).to.deep.equal(ids(200));
    expect(commits).to.be.lessThan(5);
  });

  for (const [title, fail] of [
    ["fails half-way", async () => undefined],
    ["rolls the shared transaction back", (db: Db) => sql`rollback`.execute(db)],
  ] as const)
    it(`keeps the rows of the other calls when one ${title}`, async () => {
      const settled = await Promise.allSettled(
        ids(20).map((id) =>
          group.write(async (db) => {
            await add(id)(db);
            if (id % 5 !== 0) return id;
            await fail(db);
            throw new Error(`no ${id}`);
          }),
        ),
      );
      const results = settled.map((each) => (each.status === "fulfilled" ? each.value : each.reason.message));
      expect(results).to.deep.equal(ids(20).map((id) => (id % 5 === 0 ? `no ${id}` : id)));
      expect(committed()).to.deep.equal(ids(20).filter((id) => id % 5 !== 0));
    });

  it("runs calls of a kind together, after single ones, in the order in which the kinds are defined", async () => {
    const runs: (readonly string[])[] = [];
    const define = (name: string) =>
      group.define(async (db: Db, calls: readonly number[]) => {
        runs.push(calls.map((id) => `${name} ${id}`));
        for (const id of calls) await add(id)(db);
        return calls.map((id) => `${name} ${id}`);
      });
    const [first, second] = [define("first"), define("second")];
    const order: unknown[] = [];
    const single = () =>
      group.write(async (db) => {
        runs.push(["single 3"]);
        return await add(3)(db);
      });
    const calls = [second(1), first(2), single(), first(4), second(5)];
    await Promise.all(calls.map(async (call) => order.push(await call)));
    expect(runs).to.deep.equal([["single 3"], ["first 2", "first 4"], ["second 1", "second 5"]]);
    expect(order).to.deep.equal(["second 1", "first 2", 3, "first 4", "second 5"]);
    expect(committed()).to.deep.equal(ids(5));
    expect(commits).to.equal(1);
  });

  it("keeps the rows of the other calls of a kind when one of them fails", async () => {
    const runs: (readonly number[])[] = [];
    const addAll = group.define(async (db: Db, calls: readonly number[]) => {
      runs.push(calls);
      for (const id of calls) await add(id)(db);
      if (calls.includes(2)) throw new Error("no 2");
      return calls;
    });
    const settled = await Promise.allSettled(ids(3).map(addAll));
    expect(settled.map(({ status }) => status)).to.deep.equal(["fulfilled", "rejected", "fulfilled"]);
    expect(runs).to.deep.equal([[1, 2, 3], [1], [2], [3]]);
    expect(committed()).to.deep.equal([1, 3]);
  });

  /** A group whose transactions throw the service's errors. */
  const createFailingGroup = (run: (transact: () => Promise<unknown>) => Promise<unknown>): GroupCommit =>
    new GroupCommit(
      async (jobs) => {
        commits += 1;
        try {
          return (await run(() => kysely.transaction().execute(jobs))) as never;
        } catch (error) {
          throw toStorageError(error);
        }
      },
      { waitForDisk: () => waitForDisk() },
    );
  /** Writes rows that all fail for the same reason. */
  const expectFailures = async (failing: GroupCommit, count: number, code: string): Promise<void> => {
    const failures = await Promise.all(ids(count).map((id) => getRejection(failing.write(add(id)))));
    expect(failures.map((failure) => failure.code)).to.deep.equal(ids(count).map(() => code));
  };
  const writeAll = (to: GroupCommit | Connection, count: number) =>
    Promise.all(ids(count).map((id) => to.write(add(id))));

  it("fails calls together while another program keeps the database locked, instead of one after the other", async () => {
    const locked = createFailingGroup((transact) => transact());
    other.exec("begin immediate");
    await expectFailures(locked, 12, "STORAGE_BUSY");
    expect(commits).to.equal(1);
    other.exec("rollback");
    expect(await locked.write(add(1))).to.equal(1);
  });

  it("does not repeat a call whose commit may have happened before the connection broke", async () => {
    const broken = createFailingGroup(async (transact) => {
      await transact();
      throw Object.assign(new Error("the server ends"), { code: "57P01" });
    });
    await expectFailures(broken, 3, "STORAGE_BUSY");
    expect(commits).to.equal(1);
    expect(committed()).to.deep.equal(ids(3));
  });

  for (const [title, code, failures, all] of [
    ["again one by one after a conflict with another transaction", "40001", 2, null],
    // One transaction for all, and one for each.
    ["one by one after too long a wait for a lock, which they do not repeat together", "55P03", 1, 4],
  ] as const)
    it(`runs calls ${title}`, async () => {
      const failing = createFailingGroup(async (transact) => {
        if (commits <= failures) throw Object.assign(new Error("a failure of PostgreSQL"), { code });
        return await transact();
      });
      expect(await writeAll(failing, 3)).to.deep.equal(ids(3));
      expect(committed()).to.deep.equal(ids(3));
      if (all !== null) expect(commits).to.equal(all);
    });

  const connect = (): Connection =>
    openConnection(createSqliteDialect(openSqliteFile(folder.databaseUrl)), { busyWaitMs: 1000 });

  it("completes running calls before it closes the database", async () => {
    const connection = connect();
    const all = writeAll(connection, 30);
    await connection.close();
    expect(await all).to.deep.equal(ids(30));
    expect(committed()).to.deep.equal(ids(30));
    expect(await getRejection(connection.write(add(31)))).to.be.instanceOf(Error);
  });

  it("resolves no call before the disk has confirmed its row, and shares the wait for the next ones", async () => {
    const confirmations: (() => void)[] = [];
    waitForDisk = () => new Promise((resolve) => confirmations.push(resolve));
    const told: number[] = [];
    const start = (from: number, count: number) =>
      ids(count).map((id) => group.write(add(from + id)).then((value) => told.push(value)));
    const first = start(0, 1);
    while (confirmations.length < 1) await nextTurn();
    const later = start(1, 20);
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    expect(told, "before the disk has confirmed the first row").to.deep.equal([]);
    confirmations[0]!();
    await Promise.all(first);
    while (confirmations.length < 2) await nextTurn();
    expect(told, "before the disk has confirmed the others").to.deep.equal([1]);
    confirmations[1]!();
    await Promise.all(later);
    expect(confirmations, "waits for the disk").to.have.length(2);
  });

  it("fails the calls if the disk does not confirm, and later calls work again", async () => {
    waitForDisk = () => Promise.reject(new Error("EIO"));
    await expectFailures(group, 5, "STORAGE_FULL");
    waitForDisk = async () => undefined;
    expect(await group.write(add(6))).to.equal(6);
  });

  it("waits for the disk after every write except deferrable ones", async () => {
    const connection = connect();
    const before = countWaits();
    const waits: number[] = [];
    for (const write of [connection.write, connection.writeBehind, connection.write]) {
      await write(add(waits.length + 1));
      waits.push(countWaits() - before);
    }
    expect(waits).to.deep.equal([1, 1, 2]);
    const fails = connection.writeBehind(async () => {
      throw new Error("no");
    });
    expect((await getRejection(fails)).message).to.include("no");
    expect(committed()).to.have.members([1, 2, 3]);
    await connection.close();
  });
});
