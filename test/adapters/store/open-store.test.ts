import { chmodSync, globSync, mkdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import Database from "better-sqlite3";
import { expect } from "chai";
import { openConnection } from "../../../backend/adapters/store/connection.ts";
import { toStorageError } from "../../../backend/adapters/store/failures.ts";
import { createIdentityStore } from "../../../backend/adapters/store/identity/identities.ts";
import { openStore, UnsupportedDatabaseError } from "../../../backend/adapters/store/open-store.ts";
import { createSqliteDialect, openSqliteFile } from "../../../backend/adapters/store/sqlite.ts";
import { TestClock } from "../../helpers/test-clock.ts";
import { silentLog, waitFor } from "../chain/chain-fixture.ts";
import {
  ALICE,
  addSession,
  appendEvents,
  BASE_TIME_MS,
  createChunk,
  createNonceRow,
  createPayoutRow,
  createSnapshotEvent,
  createTransactionRow,
  endSession,
  storeEndedSession,
} from "./rows.ts";
import { getRejection, useTempDatabase, writeNothing } from "./suite.ts";

const getMode = (file: string): string => (statSync(file).mode & 0o777).toString(8);
const readLink = (path: string): string => {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
};
const signing = { kind: "k", key: "k", atMs: BASE_TIME_MS };

describe("openStore", () => {
  const folder = useTempDatabase();

  it("creates a folder and a file that only their owner can read", async () => {
    await writeNothing(await folder.open());
    for (const file of [folder.file, `${folder.file}-wal`, `${folder.file}-shm`])
      expect(getMode(file), file).to.equal("600");
  });

  it("restricts an existing file to its owner", async () => {
    await (await folder.open()).close();
    chmodSync(folder.file, 0o644);
    await folder.open();
    expect(getMode(folder.file)).to.equal("600");
  });

  it("opens the file so that committed rows survive a crash", async () => {
    const database = openSqliteFile(folder.databaseUrl);
    expect(database.pragma("journal_mode", { simple: true })).to.equal("wal");
    expect(database.pragma("synchronous", { simple: true }), "FULL").to.equal(2);
    expect(database.pragma("foreign_keys", { simple: true })).to.equal(1);
    database.close();
  });

  it("holds no file open after it is closed, whether it was used or not", async () => {
    const [used, unused] = [await folder.open(), await folder.open()];
    await writeNothing(used);
    await used.sessions.find("none");
    // Only on Linux, since other systems cannot list them.
    const listOpen = () => globSync("/proc/self/fd/*").filter((path) => readLink(path).startsWith(folder.file));
    await Promise.all([used.close(), unused.close()]);
    expect(listOpen()).to.deep.equal([]);
  });

  it("returns every stored row after a restart", async () => {
    const before = await folder.open();
    const row = await storeEndedSession(before);
    await appendEvents(before, createSnapshotEvent(row));
    const running = await addSession(before);
    await before.sessions.record([createChunk(running.sessionId)]);
    await before.payouts.open(createPayoutRow());
    await before.transactions.add(createTransactionRow(0));
    await before.signings.record({ ...signing, payloadHash: "0x01" });
    const read = async (store: typeof before) => ({
      ended: await store.sessions.find(row.sessionId),
      replay: await store.sessions.getRecording(row.sessionId),
      open: await store.sessions.listOpen(),
      recording: await store.sessions.getRecording(running.sessionId),
      bank: await store.chain.getScorebank(ALICE),
      cursor: await store.chain.getCursor(),
      payouts: await store.payouts.listOpen(),
      transactions: await store.transactions.listUnsettled(ALICE),
    });
    const expected = await read(before);
    expect(expected.open).to.have.length(1);
    await before.close();

    const after = await folder.open();
    expect(await read(after)).to.deep.equal(expected);
    expect(await after.signings.record({ ...signing, payloadHash: "0x02" })).to.equal("conflict");
    expect((await endSession(after, running.sessionId)).sequence).to.equal(2n);
  });

  it("lets several processes migrate the tables at once", async () => {
    const stores = await Promise.all([1, 2, 3].map(() => folder.open()));
    const row = createNonceRow();
    await stores[0]!.auth.addNonce(row);
    for (const { auth } of stores) expect(await auth.findNonce(row.nonce)).to.deep.equal(row);
  });

  it("reads only the table of migrations if all of them have run", async () => {
    const open = async (): Promise<readonly string[]> => {
      const statements: string[] = [];
      await (await folder.open({ onQuery: ({ sql }) => statements.push(sql) })).close();
      return statements.filter((sql) => !/^(begin|commit)/.test(sql));
    };
    expect((await open()).length).to.be.greaterThan(100);
    expect(await open()).to.deep.equal([
      "select 1 from sqlite_master where type = 'table' and name = +?",
      'select name from "kysely_migration"',
    ]);
  });

  it("rejects URLs of unsupported databases with a typed error that does not contain them", async () => {
    const other = await getRejection(openStore({ databaseUrl: "mysql://arcade:secret@localhost/arcade" }));
    expect(other).to.be.instanceOf(UnsupportedDatabaseError).and.to.include({ scheme: "mysql" });
    expect(other.message)
      .to.match(/sqlite:PATH or postgres:.*ARCADE_DATABASE_URL/)
      .and.not.match(/secret/);
    expect((await getRejection(openStore({ databaseUrl: "sqlite:" }))).message).to.match(/sqlite:PATH/);
  });

  it("rejects a file that is not a database", async () => {
    const text = join(dirname(dirname(folder.file)), "notes.txt");
    writeFileSync(text, "not a database, but long enough to be read as one ".repeat(100));
    expect((await getRejection(openStore({ databaseUrl: `sqlite:${text}` }))).message).to.equal(
      `Expected a SQLite database in ${text}; received: file is not a database (SQLITE_NOTADB); it is another program's file, or encrypted; set the path of another one`,
    );
  });

  it("reports a damaged file with what to do", async () => {
    await (await folder.open()).close();
    const bytes = readFileSync(folder.file);
    writeFileSync(folder.file, bytes.fill(255, 4096, 4096 * 40));
    expect((await getRejection(folder.open())).message).to.match(
      /^Expected a SQLite database in \/.*arcade\.db; received: .* \(SQLITE_CORRUPT\); it is damaged; restore/,
    );
  });

  it("reports a file beside which it cannot write, with what to do", async () => {
    await (await folder.open()).close();
    mkdirSync(`${folder.file}-wal`);
    expect((await getRejection(folder.open())).message).to.match(
      /^Expected a SQLite database in \/.* \(SQLITE_(CANTOPEN|IOERR)\w*\); make this user the owner of it/,
    );
  });
});

describe("a database that cannot be written", () => {
  const folder = useTempDatabase();

  /** A writing transaction of another program. */
  const lock = (): { end(): void } => {
    const other = new Database(folder.file);
    other.exec("begin immediate");
    return { end: () => void other.close() };
  };

  it("lets a writer wait for another process's lock while other work continues", async () => {
    const store = await folder.open();
    const held = lock();
    let done = false;
    const probed = writeNothing(store).then(() => {
      done = true;
    });
    // The event loop continues and reads return while the writer waits.
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    expect(await store.chain.getCursor()).to.equal(null);
    expect(done).to.equal(false);
    held.end();
    await probed;
  });

  it("throws STORAGE_BUSY when the lock stays, and works again afterwards", async () => {
    const store = await folder.open({ busyWaitMs: 5 });
    const held = lock();
    expect(await getRejection(writeNothing(store))).to.include({ code: "STORAGE_BUSY", retryable: true });
    expect(await store.chain.getCursor(), "reads need no lock").to.equal(null);
    held.end();
    await writeNothing(store);
  });

  it("fails its probe, which only reads, while the lease cannot be renewed", async () => {
    const clock = new TestClock();
    const statements: string[] = [];
    const lease = { clock, log: silentLog };
    const store = await folder.open({ busyWaitMs: 5, lease, onQuery: ({ sql }) => statements.push(sql) });
    const renew = async (outcome: string): Promise<void> => {
      clock.advance(2_000);
      await waitFor(
        async () =>
          (await store.probe().then(
            () => "fine",
            ({ code }) => code,
          )) === outcome,
      );
    };
    const held = lock();
    await renew("STORAGE_BUSY");
    held.end();
    await renew("fine");
    statements.length = 0;
    await store.probe();
    expect(statements.filter((sql) => !sql.startsWith("select"))).to.deep.equal([]);
  });

  it("throws STORAGE_FULL when the disk is full, keeps the stored rows, and works again afterwards", async () => {
    await (await folder.open()).close();
    const database = openSqliteFile(folder.databaseUrl);
    const connection = openConnection(createSqliteDialect(database), { busyWaitMs: 5 });
    const identities = createIdentityStore(connection);
    const put = (digest: string, bytes: string) =>
      identities.putMetadata({ digest, bytes, atMs: BASE_TIME_MS, wallet: null });
    await put("small", "{}");
    database.pragma(`max_page_count = ${database.pragma("page_count", { simple: true })}`);
    const large = "x".repeat(1_000_000);
    expect(await getRejection(put("large", large))).to.include({ code: "STORAGE_FULL", retryable: true });
    expect(await identities.findMetadata("small")).to.equal("{}");
    database.pragma("max_page_count = 1000000");
    await put("large", large);
    await connection.close();
  });

  for (const [expected, ...codes] of [
    ["STORAGE_BUSY", "SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT", "SQLITE_LOCKED"],
    ["STORAGE_FULL", "SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_READONLY", "SQLITE_CORRUPT", "SQLITE_CANTOPEN"],
    ["SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_UNIQUE"],
  ] as const)
    it(`has the code ${expected} for ${codes.join(", ")}`, () => {
      for (const code of codes)
        expect(toStorageError(new Database.SqliteError("fault", code)), code).to.include({ code: expected });
    });

  it("passes other errors on", () => {
    expect(toStorageError("odd")).to.equal("odd");
  });
});
