import Database from "better-sqlite3";
import { expect } from "chai";
import { CamelCasePlugin, Kysely, sql } from "kysely";
import { type Db, makeConnection } from "../../../backend/adapters/store/connection.ts";
import { makeGroupCommit } from "../../../backend/adapters/store/group-commit.ts";
import type { Schema } from "../../../backend/adapters/store/schema.ts";
import { makeSqliteDialect, openSqliteFile } from "../../../backend/adapters/store/sqlite.ts";
import { makeFolder, rejectionOf } from "./suite.ts";

describe("the group commit", function () {
  this.timeout(20_000);
  let folder: ReturnType<typeof makeFolder>;
  let kysely: Kysely<Schema>;
  /** Another connection: it sees what is committed, nothing else. */
  let other: Database.Database;
  let commits = 0;
  let group: ReturnType<typeof makeGroupCommit>;

  beforeEach(() => {
    folder = makeFolder();
    const database = openSqliteFile(folder.databaseUrl);
    database.exec("create table notes (id integer primary key)");
    kysely = new Kysely({ dialect: makeSqliteDialect(database), plugins: [new CamelCasePlugin()] });
    other = new Database(folder.file);
    commits = 0;
    group = makeGroupCommit((run) => {
      commits += 1;
      return kysely.transaction().execute(run);
    });
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

  it("takes calls of one moment into few transactions, answered in their order", async () => {
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

  it("answers each call after its row is committed", async () => {
    await Promise.all(
      ids(50).map(async (id) => {
        await group.write(add(id));
        expect(committed()).to.include(id);
      }),
    );
  });

  it("takes nothing from the others when one fails half-way", async () => {
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

  it("does the others by themselves when one ends the transaction of all", async () => {
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

  it("lets what is under way end before the database is closed", async () => {
    const database = openSqliteFile(folder.databaseUrl);
    const connection = makeConnection(makeSqliteDialect(database), { busyWaitMs: 1000 });
    const all = ids(30).map((id) => connection.write(add(id)));
    await connection.close();
    expect(await Promise.all(all)).to.deep.equal(ids(30));
    expect(committed()).to.deep.equal(ids(30));
    expect(await rejectionOf(connection.write(add(31)))).to.be.instanceOf(Error);
  });

  it("waits for the disk at every write but those that may fall behind", async () => {
    const FULL = 2;
    const NORMAL = 1;
    const database = openSqliteFile(folder.databaseUrl);
    const connection = makeConnection(makeSqliteDialect(database), { busyWaitMs: 1000 });
    const level = () => database.pragma("synchronous", { simple: true });
    const seen = (id: number) => async (db: Db) => {
      await add(id)(db);
      return level();
    };
    const levels = await Promise.all([
      connection.write(seen(1)),
      connection.writeBehind(seen(2)),
      connection.write(seen(3)),
      connection.writeBehind(seen(4)),
    ]);
    expect(levels).to.deep.equal([FULL, NORMAL, FULL, NORMAL]);
    const fails = connection.writeBehind(async () => {
      throw new Error("no");
    });
    expect((await rejectionOf(fails)).message).to.include("no");
    expect(level()).to.equal(FULL);
    expect(committed()).to.have.members([1, 2, 3, 4]);
    await connection.close();
  });
});
