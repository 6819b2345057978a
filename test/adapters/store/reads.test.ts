import { expect } from "chai";
import { sql } from "kysely";
import { type Connection, openConnection } from "../../../backend/adapters/store/connection.ts";
import { createSqliteDialect, openSqliteFile, openSqliteReader } from "../../../backend/adapters/store/sqlite.ts";
import { useTempDatabase } from "./suite.ts";

describe("reads beside a transaction", function () {
  this.timeout(20_000);
  const folder = useTempDatabase();
  let connection: Connection;

  beforeEach(async () => {
    const dialect = createSqliteDialect(openSqliteFile(folder.databaseUrl));
    const reader = createSqliteDialect(openSqliteReader(folder.databaseUrl)!);
    connection = openConnection(dialect, { reader, busyWaitMs: 1_000 });
    await connection.write(async (db) => {
      await sql`create table probes (id integer primary key)`.execute(db);
      await sql`insert into probes (id) values (1), (2)`.execute(db);
    });
  });
  afterEach(() => connection.close());

  const readIds = async (): Promise<readonly number[]> =>
    (await connection.read((db) => db.selectFrom("probes").selectAll().orderBy("id").execute())).map(({ id }) => id);

  it("do not wait for it, and see its rows only after the commit", async () => {
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const written = connection.write(async (db) => {
      await db.insertInto("probes").values({ id: 3 }).execute();
      begun.resolve();
      await gate.promise;
    });
    await begun.promise;
    const selectAll = connection.compile<object, { id: number }>((db) => db.selectFrom("probes").selectAll());
    expect(await readIds()).to.deep.equal([1, 2]);
    expect(await connection.readRows(selectAll({}))).to.have.length(2);
    gate.resolve();
    await written;
    expect(await readIds()).to.deep.equal([1, 2, 3]);
    expect(await connection.readRows(selectAll({}))).to.have.length(3);
  });

  it("of a compiled statement take the values of each call", async () => {
    const find = connection.compile<{ id: number; limit: number }, { id: number }>((db, values) =>
      db.selectFrom("probes").selectAll().where("id", ">=", values.id).where("id", "<", 10).limit(values.limit),
    );
    expect(await connection.readRows(find({ id: 1, limit: 5 }))).to.deep.equal([{ id: 1 }, { id: 2 }]);
    expect(await connection.readRows(find({ id: 2, limit: 5 }))).to.deep.equal([{ id: 2 }]);
    expect(await connection.readRows(find({ id: 1, limit: 1 }))).to.deep.equal([{ id: 1 }]);
    expect(find({ id: 7, limit: 2 })).to.deep.include({ parameters: [7, 10, 2] });
  });
});
