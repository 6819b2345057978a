import Database from "better-sqlite3";
import { expect } from "chai";
import { CamelCasePlugin, Kysely, sql } from "kysely";
import { openConnection } from "../../../backend/adapters/store/connection.ts";
import { toStorageError } from "../../../backend/adapters/store/failures.ts";
import { GroupCommit } from "../../../backend/adapters/store/group-commit.ts";
import type { Db, Schema } from "../../../backend/adapters/store/schema.ts";
import { createSqliteDialect, openSqliteFile } from "../../../backend/adapters/store/sqlite.ts";
import { WriteAheadLog } from "../../../backend/adapters/store/write-ahead-log.ts";
import { createTempDatabase, getRejection } from "./suite.ts";

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("the group commit", function () {
  this.timeout(20_000);
  let folder: ReturnType<typeof createTempDatabase>;
  let kysely: Kysely<Schema>;
  /** Another connection: it sees only committed rows. */
  let other: Database.Database;
  let commits = 0;
  let group: GroupCommit;
  let waitForDisk: () => Promise<void>;

  beforeEach(() => {
    folder = createTempDatabase();
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
    folder.remove();
  });

  const committed = (): number[] => other.prepare("select id from notes order by id").pluck().all() as number[];
  const add = (id: number) => async (db: Db) => {
    await sql`insert into notes (id) values (${id})`.execute(db);
    return id;
  };
  const ids = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

  it("commits simultaneous calls in few transactions, and resolves them in their order", async () => {
    const order: number[] = [];
    const values = await Promise.all(
      ids(200).map(async (id) => {
        const value = await group.write(add(id));
        order.push(value);
        return value;
      }),
    );
    expect(values).to.deep.equal(ids(200));
    expect(order).to.deep.equal(ids(200));
    expect(committed()).to.deep.equal(ids(200));
    expect(commits).to.be.lessThan(5);
  });

  it("resolves each call after its row is committed", async () => {
    await Promise.all(
      ids(50).map(async (id) => {
        await group.write(add(id));
        expect(committed()).to.include(id);
      }),
    );
  });

  it("keeps the rows of the other calls when one fails half-way", async () => {
    const all = ids(20).map((id) =>
      group.write(async (db) => {
        await add(id)(db);
        if (id % 5 === 0) throw new Error(`no ${id}`);
        return id;
      }),
    );
    const settled = await Promise.allSettled(all);
    for (const [i, outcome] of settled.entries()) {
      const id = i + 1;
      if (id % 5 === 0) expect((outcome as PromiseRejectedResult).reason.message).to.equal(`no ${id}`);
      else expect(outcome).to.deep.equal({ status: "fulfilled", value: id });
    }
    expect(committed()).to.deep.equal(ids(20).filter((id) => id % 5 !== 0));
  });

  it("runs calls of a kind together, after single ones and in the order of the kinds' definitions", async () => {
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

  it("repeats the other calls one by one when one rolls the shared transaction back", async () => {
    const all = ids(10).map((id) =>
      group.write(async (db) => {
        await add(id)(db);
        if (id !== 4) return id;
        await sql`rollback`.execute(db);
        throw new Error("the disk is full");
      }),
    );
    const settled = await Promise.allSettled(all);
    expect(settled.map(({ status }) => status === "fulfilled")).to.deep.equal(ids(10).map((id) => id !== 4));
    expect(committed()).to.deep.equal(ids(10).filter((id) => id !== 4));
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
  const getCode = (error: unknown): unknown => (error as { readonly code?: unknown }).code;

  it("fails calls together while another program keeps the database locked, instead of one after the other", async () => {
    const locked = createFailingGroup((transact) => transact());
    other.exec("begin immediate");
    const failures = await Promise.all(ids(12).map((id) => getRejection(locked.write(add(id)))));
    expect(failures.map(getCode)).to.deep.equal(ids(12).map(() => "STORAGE_BUSY"));
    expect(commits).to.equal(1);
    other.exec("rollback");
    expect(await locked.write(add(1))).to.equal(1);
  });

  it("runs no call again whose commit may have happened before the connection broke", async () => {
    const broken = createFailingGroup(async (transact) => {
      await transact();
      throw Object.assign(new Error("the server ends"), { code: "57P01" });
    });
    const failures = await Promise.all(ids(3).map((id) => getRejection(broken.write(add(id)))));
    expect(failures.map(getCode)).to.deep.equal(ids(3).map(() => "STORAGE_BUSY"));
    expect(commits).to.equal(1);
    expect(committed()).to.deep.equal(ids(3));
  });

  it("runs calls again one by one after a conflict with another transaction", async () => {
    const conflicting = createFailingGroup(async (transact) => {
      if (commits < 3) throw Object.assign(new Error("could not serialize access"), { code: "40001" });
      return await transact();
    });
    expect(await Promise.all(ids(3).map((id) => conflicting.write(add(id))))).to.deep.equal(ids(3));
    expect(committed()).to.deep.equal(ids(3));
  });

  it("runs calls one by one after a wait for a lock that was too long, and does not wait for it together again", async () => {
    const waiting = createFailingGroup(async (transact) => {
      if (commits === 1) throw Object.assign(new Error("canceling statement due to lock timeout"), { code: "55P03" });
      return await transact();
    });
    expect(await Promise.all(ids(3).map((id) => waiting.write(add(id))))).to.deep.equal(ids(3));
    expect(committed()).to.deep.equal(ids(3));
    expect(commits, "one for all, and one for each").to.equal(4);
  });

  it("running calls end before the database is closed", async () => {
    const database = openSqliteFile(folder.databaseUrl);
    const connection = openConnection(createSqliteDialect(database), { busyWaitMs: 1000 });
    const all = ids(30).map((id) => connection.write(add(id)));
    await connection.close();
    expect(await Promise.all(all)).to.deep.equal(ids(30));
    expect(committed()).to.deep.equal(ids(30));
    expect(await getRejection(connection.write(add(31)))).to.be.instanceOf(Error);
  });

  it("resolves no call before the disk has confirmed its row, and shares the wait for the next ones", async () => {
    const confirmations: (() => void)[] = [];
    waitForDisk = () => new Promise((resolve) => confirmations.push(resolve));
    const told: number[] = [];
    const writeAll = (from: number, count: number) =>
      ids(count).map((id) => group.write(add(from + id)).then((value) => told.push(value)));
    const first = writeAll(0, 1);
    while (confirmations.length < 1) await nextTurn();
    const later = writeAll(1, 20);
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

  it("a disk that does not confirm fails the calls, and later calls work again", async () => {
    waitForDisk = () => Promise.reject(new Error("EIO"));
    const failures = await Promise.all(ids(5).map((id) => getRejection(group.write(add(id)))));
    expect(failures.map((error) => (error as { code?: string }).code)).to.deep.equal(ids(5).map(() => "STORAGE_FULL"));
    waitForDisk = async () => undefined;
    expect(await group.write(add(6))).to.equal(6);
  });

  it("waits for the disk after every write except deferrable ones", async () => {
    const { sync } = WriteAheadLog.prototype;
    let waits = 0;
    WriteAheadLog.prototype.sync = function () {
      waits += 1;
      return sync.call(this);
    };
    try {
      const connection = openConnection(createSqliteDialect(openSqliteFile(folder.databaseUrl)), { busyWaitMs: 1000 });
      await connection.write(add(1));
      expect(waits).to.equal(1);
      await connection.writeBehind(add(2));
      expect(waits).to.equal(1);
      await connection.write(add(3));
      expect(waits).to.equal(2);
      const fails = connection.writeBehind(async () => {
        throw new Error("no");
      });
      expect((await getRejection(fails)).message).to.include("no");
      expect(committed()).to.have.members([1, 2, 3]);
      await connection.close();
    } finally {
      WriteAheadLog.prototype.sync = sync;
    }
  });
});
