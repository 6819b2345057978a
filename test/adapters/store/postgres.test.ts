import { once } from "node:events";
import { type AddressInfo, createServer, Socket } from "node:net";
import { expect } from "chai";
import { DatabaseError } from "pg";
import { toStorageError } from "../../../backend/adapters/store/failures.ts";
import { MIGRATIONS } from "../../../backend/adapters/store/migrations/index.ts";
import { openStore } from "../../../backend/adapters/store/open-store.ts";
import { describePostgres } from "../../helpers/postgres.ts";
import { usePostgresStores } from "./postgres-stores.ts";
import {
  ALICE,
  addSession,
  createChannelToken,
  createClaim,
  createNonceRow,
  createTokens,
  endSession,
} from "./rows.ts";
import { getRejection, writeNothing } from "./suite.ts";

/** Whether the server ended the connection of a call. */
const isCut = ({ message }: Error): boolean => /was lost/.test(message);

describePostgres("a store on PostgreSQL", () => {
  const database = usePostgresStores();
  const open = (options: { readonly busyWaitMs?: number } = {}) => database.open(options);
  const query = <Row>(sql: string) => database.query<Row>(sql);

  it("is migrated once when several processes open it at the same time", async () => {
    const [first] = await Promise.all([open(), open(), open()]);
    await writeNothing(first!);
    expect(await query("select count(*)::int as count from kysely_migration")).to.deep.equal([
      { count: Object.keys(MIGRATIONS).length },
    ]);
  });

  it("compares text byte by byte, and has 64 bits for every integer", async () => {
    await open();
    const columns = await query<{ type: string; collation: string | null }>(
      `select distinct data_type as type, collation_name as collation from information_schema.columns
       where table_schema = 'public' and table_name not like 'kysely%' order by 1`,
    );
    expect(columns).to.deep.equal([
      { type: "bigint", collation: null },
      { type: "bytea", collation: null },
      { type: "text", collation: "C" },
    ]);
  });

  it("does not use a row that another process has changed since it was read", async () => {
    const [one, other] = [await open(), await open()];
    const { access, refresh } = createTokens("family");
    await one.auth.addTokens({ access, refresh });
    expect(await one.auth.findAccessToken(access.tokenHash)).to.include({ revokedAtMs: null });
    await other.auth.revoke({ familyId: "family" }, 7);
    // The notification is on its way while the other process's call returns.
    let found = await one.auth.findAccessToken(access.tokenHash);
    while (found?.revokedAtMs === null) {
      await one.probe();
      found = await one.auth.findAccessToken(access.tokenHash);
    }
    expect(found).to.include({ revokedAtMs: 7 });
  });

  it("continues to work when another process adds columns, like the migration of a newer version", async () => {
    const store = await open();
    const claim = createClaim();
    const token = createChannelToken();
    const work = async (): Promise<unknown> => [
      await store.idempotency.claim(claim),
      await store.channelTokens.find(token.tokenHash),
    ];
    await store.channelTokens.add(token);
    await work();
    expect(await work()).to.deep.equal([claim, token]);
    await query("alter table idempotency_keys add column later text; alter table channel_tokens add column later text");
    const added = { later: null };
    expect(await work()).to.deep.equal([
      { ...claim, ...added },
      { ...token, ...added },
    ]);
  });

  it("keeps results of sessions final, whatever program writes", async () => {
    const store = await open();
    const { sessionId } = await addSession(store);
    await endSession(store, sessionId);
    const change = (sql: string) => getRejection(query(`${sql} where session_id = '${sessionId}'`));
    expect((await change("update sessions set score = 9")).message).to.match(/result of an ended session is final/);
    await query(`update sessions set verification = 'withheld' where session_id = '${sessionId}'`);
    expect((await change("update sessions set verification = 'verified'")).message).to.match(/verification.*is final/);
  });

  it("throws STORAGE_BUSY while the server is unavailable, and works again when it is back", async () => {
    const store = await open({ busyWaitMs: 50 });
    const session = await addSession(store);
    await database.server.crash();
    await database.server.start();
    const outcomes = new Set<string>();
    for (let tries = 0; tries < 100 && !outcomes.has("ok"); tries++) {
      const error = await writeNothing(store).then(
        () => null,
        (cause: { readonly code?: string }) => cause,
      );
      outcomes.add(error === null ? "ok" : String(error.code));
    }
    outcomes.delete("STORAGE_BUSY");
    expect([...outcomes]).to.deep.equal(["ok"]);
    expect(await store.sessions.find(session.sessionId)).to.include({ wallet: ALICE });
  });

  it("probes every connection after 5 s without traffic, since its server may be gone without closing it", async () => {
    const { setKeepAlive } = Socket.prototype;
    const delaysMs: unknown[] = [];
    Socket.prototype.setKeepAlive = function (this: Socket, ...args: [boolean, number]) {
      delaysMs.push(args[1]);
      return setKeepAlive.apply(this, args);
    } as typeof setKeepAlive;
    try {
      const store = await open();
      await store.channelTokens.find("unknown");
      await writeNothing(store);
    } finally {
      Socket.prototype.setKeepAlive = setKeepAlive;
    }
    // For notifications, migrations, leases, reads and writes at least.
    expect(delaysMs.length).to.be.at.least(4);
    expect(new Set(delaysMs)).to.deep.equal(new Set([5_000]));
  });

  it("reports an unreachable server, without the password of the URL", async () => {
    const nowhere = "postgres://arcade:secret@127.0.0.1:1/arcade";
    const error = await getRejection(openStore({ databaseUrl: nowhere, busyWaitMs: 5 }));
    expect(error).to.include({ code: "STORAGE_BUSY" });
    expect(error.message).to.match(/arcade at 127\.0\.0\.1:1,.*ECONNREFUSED.*start PostgreSQL there/);
    expect(JSON.stringify([error.message, error.stack])).to.not.match(/secret/);
  });

  it("leaves a server that has become a standby: for writes, and for reads too", async () => {
    const store = await open({ busyWaitMs: 50 });
    const read = () => store.channelTokens.find("unknown");
    const name = new URL(database.databaseUrl).pathname.slice(1);
    const others = "from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
    await Promise.all([writeNothing(store), read()]);
    await query(`alter database ${name} set default_transaction_read_only = on`);
    await query(`select pg_terminate_backend(pid) ${others}`);
    const during = await getRejection(
      (async () => {
        for (;;) await writeNothing(store).catch((error) => (isCut(error) ? read() : Promise.reject(error)));
      })(),
    );
    expect(during).to.include({ code: "STORAGE_BUSY" });
    expect(during.message).to.include("accepts no writes (25006)");
    await read();
    // The other server: only new connections lead to it.
    await query(`begin read write; alter database ${name} reset all; commit`);
    const [{ now }] = (await query<{ now: string }>("select now()::text as now")) as [{ now: string }];
    await writeNothing(store);
    await read();
    await read();
    const old = `select query ${others} and backend_start < '${now}' and query !~ '^(listen|select 1)'`;
    expect(await query(old)).to.deep.equal([]);
  });

  it("explains what to do about a database that cannot be opened", async () => {
    const url = new URL(database.databaseUrl);
    const name = url.pathname.slice(1);
    const role = `r_${name}`;
    await query(`create role ${role} login`);
    const change = (part: Partial<URL>) => Object.assign(new URL(url), part).href;
    const openAs = (databaseUrl: string) => getRejection(openStore({ databaseUrl, busyWaitMs: 5 }));
    const other = createServer((socket) => socket.destroy());
    await once(other.listen(0, "127.0.0.1"), "listening");
    try {
      const cases: readonly (readonly [string, RegExp])[] = [
        [change({ pathname: "/nothing" }), /"nothing" does not exist \(3D000\); create it/],
        [change({ username: "stranger" }), /role "stranger" does not exist \(28000\); correct user and password/],
        [change({ username: role }), /permission denied for schema public \(42501\); make this user the owner/],
        [change({ search: "?sslmode=require" }), /does not support SSL connections; set sslmode/],
        [change({ hostname: "no-such-host.invalid" }), /ENOTFOUND.*correct the name of the host/],
        [change({ port: `${(other.address() as AddressInfo).port}` }), /another program may answer there/],
        [`postgres:///${name}?host=/nowhere`, /at \/nowhere, .*ENOENT.*start PostgreSQL there/],
      ];
      for (const [databaseUrl, pattern] of cases) {
        const { message } = await openAs(databaseUrl);
        expect(message)
          .to.match(pattern)
          .and.match(/^Expected the PostgreSQL database /);
      }
      await query(`alter database ${name} set default_transaction_read_only = on`);
      expect((await openAs(url.href)).message).to.match(/\(25006\); use the address of the primary/);
    } finally {
      other.close();
      await query(`begin read write; alter database ${name} reset all; drop role ${role}; commit`);
    }
  });

  it("is migrated although its statements have a limit", async () => {
    const name = new URL(database.databaseUrl).pathname.slice(1);
    await query(`alter database ${name} set statement_timeout = 1`);
    const { auth } = await open();
    const row = createNonceRow();
    await auth.addNonce(row);
    expect(await auth.findNonce(row.nonce)).to.deep.equal(row);
  });
});

describe("a PostgreSQL server that starts", () => {
  it("gets only a few connection attempts a second", async () => {
    let attempts = 0;
    const server = createServer((socket) => {
      attempts += 1;
      const fields = "SFATAL\0C57P03\0Mthe database system is starting up\0\0";
      const length = Buffer.alloc(4);
      length.writeUInt32BE(4 + fields.length);
      socket
        .on("error", () => undefined)
        .once("data", () => socket.end(Buffer.concat([Buffer.from("E"), length, Buffer.from(fields)])));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    try {
      const databaseUrl = `postgres://arcade@127.0.0.1:${(server.address() as AddressInfo).port}/arcade`;
      const error = await getRejection(openStore({ databaseUrl, busyWaitMs: 1_000 }));
      expect(error).to.include({ code: "STORAGE_BUSY" });
      expect(attempts).to.be.within(2, 15);
    } finally {
      server.close();
    }
  });
});

describe("errors of PostgreSQL", () => {
  it("of the network report that nothing was stored only if there was no connection", () => {
    const connecting = new Error("getaddrinfo EAI_AGAIN");
    for (const fields of [
      { code: "EAI_AGAIN", syscall: "getaddrinfo" },
      { code: "ENOENT", syscall: "connect" },
    ])
      expect(toStorageError(Object.assign(connecting, fields))).to.include({ code: "STORAGE_BUSY" });
    for (const code of ["ETIMEDOUT", "EHOSTUNREACH"])
      for (const [syscall, text] of [
        ["connect", /accepts no connection .* nothing was stored/],
        ["read", /was lost before its answer/],
        ["write", /was lost before its answer/],
      ] as const) {
        const cause = Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
        expect((toStorageError(cause) as Error).message, `${syscall} ${code}`).to.match(text);
      }
  });

  const map = (code: string): unknown => {
    const cause = new DatabaseError("fault", 5, "error");
    cause.code = code;
    const result = toStorageError(cause);
    return result instanceof Error && "code" in result ? result.code : null;
  };

  it("get a code if the store can report what to do, and are passed on otherwise", () => {
    for (const code of ["40001", "40P01", "57P03", "53300", "57P01", "08006", "25006", "57014", "28P01", "3D000"])
      expect(map(code), code).to.equal("STORAGE_BUSY");
    for (const code of ["53100", "58030", "XX001"]) expect(map(code), code).to.equal("STORAGE_FULL");
    expect(map("23505")).to.equal("23505");
  });
});
