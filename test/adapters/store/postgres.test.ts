import { once } from "node:events";
import { type AddressInfo, createServer, Socket } from "node:net";
import { expect } from "chai";
import { DatabaseError } from "pg";
import { toStorageError } from "../../../backend/adapters/store/failures.ts";
import { MIGRATIONS } from "../../../backend/adapters/store/migrations/index.ts";
import { openStore } from "../../../backend/adapters/store/open-store.ts";
import { describePostgres } from "../../helpers/postgres.ts";
import { usePostgresStores } from "./postgres-stores.ts";
import { ALICE, addSession, createChannelToken, createClaim, createTokens, endSession } from "./rows.ts";
import { getRejection, writeNothing } from "./suite.ts";

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
    expect(error.message).to.match(/accepts no connection.*ECONNREFUSED/);
    expect(JSON.stringify([error.message, error.stack])).to.not.match(/secret/);
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
    for (const code of ["40001", "40P01", "57P03", "53300", "57P01", "08006"])
      expect(map(code), code).to.equal("STORAGE_BUSY");
    for (const code of ["53100", "58030", "25006", "XX001"]) expect(map(code), code).to.equal("STORAGE_FULL");
    expect(map("23505")).to.equal("23505");
  });
});
