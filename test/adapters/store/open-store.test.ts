import { chmodSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import Database from "better-sqlite3";
import { expect } from "chai";
import { makeConnection } from "../../../backend/adapters/store/connection.ts";
import { toStorageError } from "../../../backend/adapters/store/failures.ts";
import { makeIdentityStore } from "../../../backend/adapters/store/identities.ts";
import { openStore } from "../../../backend/adapters/store/index.ts";
import { makeSqliteDialect, openSqliteFile } from "../../../backend/adapters/store/sqlite.ts";
import {
  ALICE,
  endedSession,
  hashFor,
  mine,
  newSession,
  payoutRow,
  play,
  snapshotOf,
  T0,
  transactionRow,
} from "./rows.ts";
import { makeFolder, rejectionOf } from "./suite.ts";

describe("openStore", function () {
  this.timeout(20_000);
  let folder: ReturnType<typeof makeFolder>;
  beforeEach(() => {
    folder = makeFolder();
  });
  afterEach(() => folder.remove());

  it("creates folder and file for their owner alone", async () => {
    const store = await openStore({ databaseUrl: folder.databaseUrl });
    await store.probe();
    for (const file of [folder.file, `${folder.file}-wal`, `${folder.file}-shm`]) {
      expect((statSync(file).mode & 0o777).toString(8), file).to.equal("600");
    }
    await store.close();
  });

  it("takes an existing file away from others", async () => {
    await (await openStore({ databaseUrl: folder.databaseUrl })).close();
    chmodSync(folder.file, 0o644);
    await (await openStore({ databaseUrl: folder.databaseUrl })).close();
    expect((statSync(folder.file).mode & 0o777).toString(8)).to.equal("600");
  });

  it("opens the file so that what is committed stays", async () => {
    const database = openSqliteFile(folder.databaseUrl);
    expect(database.pragma("journal_mode", { simple: true })).to.equal("wal");
    expect(database.pragma("synchronous", { simple: true }), "FULL").to.equal(2);
    expect(database.pragma("foreign_keys", { simple: true })).to.equal(1);
    database.close();
  });

  it("keeps everything over a restart", async () => {
    const before = await openStore({ databaseUrl: folder.databaseUrl });
    const row = await play(before);
    await mine(before, snapshotOf(row));
    const running = newSession();
    await before.sessions.add(running);
    await before.sessions.record([
      { sessionId: running.sessionId, tick: 20, score: 3, phase: "running", inputs: [[7, 1]], stateDigests: [] },
    ]);
    await before.payouts.open(payoutRow());
    await before.transactions.add(transactionRow(0));
    await before.signings.record({ kind: "k", key: "k", payloadHash: "0x01", atMs: T0 });
    const read = async (store: typeof before) => ({
      ended: await store.sessions.find(row.sessionId),
      replay: await store.sessions.recording(row.sessionId),
      open: await store.sessions.listOpen(),
      recording: await store.sessions.recording(running.sessionId),
      bank: await store.chain.scorebank(ALICE),
      cursor: await store.chain.cursor(),
      payouts: await store.payouts.listOpen(),
      transactions: await store.transactions.listOpen(ALICE),
    });
    const expected = await read(before);
    expect(expected.open).to.have.length(1);
    await before.close();

    const after = await openStore({ databaseUrl: folder.databaseUrl });
    expect(await read(after)).to.deep.equal(expected);
    expect(await after.signings.record({ kind: "k", key: "k", payloadHash: "0x02", atMs: T0 })).to.equal("conflict");
    const ended = await after.sessions.end(endedSession(running.sessionId), hashFor(running.sessionId));
    expect(ended.sequence).to.equal(2n);
    await after.close();
  });

  it("lets several openers bring the tables up at once", async () => {
    const stores = await Promise.all([1, 2, 3].map(() => openStore({ databaseUrl: folder.databaseUrl })));
    for (const store of stores) await store.probe();
    for (const store of stores) await store.close();
  });

  it("refuses a database of a newer version and leaves it as it is", async () => {
    await (await openStore({ databaseUrl: folder.databaseUrl })).close();
    const raw = new Database(folder.file);
    raw.exec("insert into kysely_migration values ('9999-later', '2030-01-01T00:00:00.000Z')");
    raw.close();
    const error = await rejectionOf(openStore({ databaseUrl: folder.databaseUrl }));
    expect(error.message).to.match(/9999-later/);
  });

  it("refuses addresses it cannot serve, without repeating them", async () => {
    const postgres = await rejectionOf(openStore({ databaseUrl: "postgres://arcade:secret@localhost/arcade" }));
    expect(postgres.message)
      .to.match(/PostgreSQL is not supported yet/)
      .and.not.match(/secret/);
    expect((await rejectionOf(openStore({ databaseUrl: "sqlite:" }))).message).to.match(/sqlite:PATH/);
    expect((await rejectionOf(openStore({ databaseUrl: "mysql://x" }))).message).to.match(/sqlite:PATH/);
  });

  it("refuses a file that is no database", async () => {
    const text = join(dirname(dirname(folder.file)), "notes.txt");
    writeFileSync(text, "not a database, but long enough to be read as one ".repeat(100));
    expect((await rejectionOf(openStore({ databaseUrl: `sqlite:${text}` }))).message).to.match(/not a database/);
  });
});

describe("a database that cannot be written", function () {
  this.timeout(20_000);
  let folder: ReturnType<typeof makeFolder>;
  beforeEach(() => {
    folder = makeFolder();
  });
  afterEach(() => folder.remove());

  it("lets a writer wait for another process's lock while everything else goes on", async () => {
    const store = await openStore({ databaseUrl: folder.databaseUrl });
    const other = new Database(folder.file);
    other.exec("begin immediate");
    let done = false;
    const probed = store.probe().then(() => {
      done = true;
    });
    // The loop turns and reads are answered while the writer waits.
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    expect(await store.chain.cursor()).to.equal(null);
    expect(done).to.equal(false);
    other.exec("commit");
    await probed;
    other.close();
    await store.close();
  });

  it("answers STORAGE_BUSY when the lock stays, and works again afterwards", async () => {
    const store = await openStore({ databaseUrl: folder.databaseUrl, busyWaitMs: 5 });
    const other = new Database(folder.file);
    other.exec("begin immediate");
    const error = await rejectionOf(store.probe());
    expect(error).to.include({ code: "STORAGE_BUSY", retryable: true });
    expect(await store.chain.cursor(), "reads need no lock").to.equal(null);
    other.exec("rollback");
    await store.probe();
    other.close();
    await store.close();
  });

  it("answers STORAGE_FULL when there is no room, keeps what was stored, and works again afterwards", async () => {
    await (await openStore({ databaseUrl: folder.databaseUrl })).close();
    const database = openSqliteFile(folder.databaseUrl);
    const connection = makeConnection(makeSqliteDialect(database), { busyWaitMs: 5 });
    const identities = makeIdentityStore(connection);
    await identities.putMetadata("small", "{}", T0);
    const pages = database.pragma("page_count", { simple: true });
    database.pragma(`max_page_count = ${pages}`);
    const error = await rejectionOf(identities.putMetadata("large", "x".repeat(1_000_000), T0));
    expect(error).to.include({ code: "STORAGE_FULL", retryable: true });
    expect(await identities.findMetadata("small")).to.equal("{}");
    database.pragma("max_page_count = 1000000");
    await identities.putMetadata("large", "x".repeat(1_000_000), T0);
    await connection.close();
  });

  it("has a code for each fault of SQLite, and passes others on", () => {
    const codeOf = (sqlite: string) => {
      const answer = toStorageError(new Database.SqliteError("fault", sqlite));
      return answer instanceof Error && "code" in answer ? answer.code : null;
    };
    for (const code of ["SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT", "SQLITE_LOCKED"]) {
      expect(codeOf(code), code).to.equal("STORAGE_BUSY");
    }
    for (const code of ["SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_READONLY", "SQLITE_CORRUPT", "SQLITE_CANTOPEN"]) {
      expect(codeOf(code), code).to.equal("STORAGE_FULL");
    }
    expect(codeOf("SQLITE_CONSTRAINT_UNIQUE")).to.equal("SQLITE_CONSTRAINT_UNIQUE");
    expect(toStorageError("odd")).to.equal("odd");
  });
});
