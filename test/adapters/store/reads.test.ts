import { expect } from "chai";
import { sql } from "kysely";
import { type Connection, openConnection } from "../../../backend/adapters/store/connection.ts";
import { createSqliteDialect, openSqliteFile, openSqliteReader } from "../../../backend/adapters/store/sqlite.ts";
import { useTempDatabase } from "./suite.ts";

describe("reads beside a transaction", () => {
  const folder = useTempDatabase();
  let connection: Connection;

  beforeEach(async () => {
    const dialect = createSqliteDialect(openSqliteFile(folder.databaseUrl));
    const reader = createSqliteDialect(openSqliteReader(folder.databaseUrl)!);
    connection = openConnection(dialect, { reader, busyWaitMs: 1_000 });
    await connection.write(async (db) => {
      await sql`create table hidden_listings (hidden_at_ms integer primary key)`.execute(db);
      await sql`insert into hidden_listings (hidden_at_ms) values (1), (2)`.execute(db);
    });
  });
  afterEach(() => connection.close());

  const readIds = async (): Promise<readonly number[]> =>
    (
      await connection.read((db) =>
        db.selectFrom("hiddenListings").select("hiddenAtMs").orderBy("hiddenAtMs").execute(),
      )
    ).map(({ hiddenAtMs }) => hiddenAtMs);

  it("do not wait for it, and see its rows only after the commit", async () => {
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const written = connection.write(async (db) => {
      await db
        .insertInto("hiddenListings")
        .values({ hiddenAtMs: 3 } as never)
        .execute();
      begun.resolve();
      await gate.promise;
    });
    await begun.promise;
    const selectAll = connection.compile<object, { hiddenAtMs: number }>((db) =>
      db.selectFrom("hiddenListings").select("hiddenAtMs"),
    );
    expect(await readIds()).to.deep.equal([1, 2]);
    expect(await connection.readRows(selectAll({}))).to.have.length(2);
    gate.resolve();
    await written;
    expect(await readIds()).to.deep.equal([1, 2, 3]);
    expect(await connection.readRows(selectAll({}))).to.have.length(3);
  });

  it("of a compiled statement use the values of each call", async () => {
    const find = connection.compile<{ id: number; limit: number }, { hiddenAtMs: number }>((db, values) =>
      db
        .selectFrom("hiddenListings")
        .select("hiddenAtMs")
        .where("hiddenAtMs", ">=", values.id)
        .where("hiddenAtMs", "<", 10)
        .limit(values.limit),
    );
    expect(await connection.readRows(find({ id: 1, limit: 5 }))).to.deep.equal([{ hiddenAtMs: 1 }, { hiddenAtMs: 2 }]);
    expect(await connection.readRows(find({ id: 2, limit: 5 }))).to.deep.equal([{ hiddenAtMs: 2 }]);
    expect(await connection.readRows(find({ id: 1, limit: 1 }))).to.deep.equal([{ hiddenAtMs: 1 }]);
    expect(find({ id: 7, limit: 2 })).to.deep.include({ parameters: [7, 10, 2] });
  });
});
