import { expect } from "chai";
import { Client } from "pg";
import { openStore } from "../../../backend/adapters/store/open-store.ts";
import { copyStore, StoreCopyError } from "../../../backend/app/copy-store.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { usePostgres } from "../../helpers/postgres.ts";
import { TestClock } from "../../helpers/test-clock.ts";
import { silentLog } from "../chain/chain-fixture.ts";
import {
  ALICE,
  addSession,
  appendEvents,
  createChunk,
  createNonceRow,
  createSnapshotEvent,
  createTokens,
  storeEndedSession,
} from "./rows.ts";
import { createTempDatabase, getRejection } from "./suite.ts";

/** More than one batch. */
const NONCES = 1_201;

describe("a SQLite store that is copied to PostgreSQL", function () {
  this.timeout(60_000);
  const getServer = usePostgres();
  let source: ReturnType<typeof createTempDatabase>;
  let targetUrl: string;
  let endedId: string;
  let openId: string;
  beforeEach(async () => {
    source = createTempDatabase();
    targetUrl = await getServer().createDatabase();
    const store = await openStore({ databaseUrl: source.databaseUrl });
    await fill(store);
    await store.close();
  });
  afterEach(() => source.remove());

  async function fill(store: Store): Promise<void> {
    const ended = await storeEndedSession(
      store,
      {},
      {
        inputs: [
          [3, 1],
          [9, 2],
        ],
      },
    );
    await store.sessions.setVerification(ended.sessionId, "verified");
    await appendEvents(store, createSnapshotEvent(ended));
    const open = await addSession(store, { slug: "flappybots", agentName: "Ünïcode \u{1f916} 'quoted'" });
    await store.sessions.record([createChunk(open.sessionId)]);
    await store.auth.addTokens(createTokens("family"));
    await Promise.all(Array.from({ length: NONCES }, () => store.auth.addNonce(createNonceRow())));
    endedId = ended.sessionId;
    openId = open.sessionId;
  }

  async function query<Row>(sql: string): Promise<readonly Row[]> {
    const client = new Client({ connectionString: targetUrl });
    await client.connect();
    return (await client.query(sql).finally(() => client.end())).rows as Row[];
  }

  it("has the same sessions, recordings and counts there, and goes on with the open ones", async () => {
    const tables = await copyStore(source.databaseUrl, targetUrl);
    const rows = Object.fromEntries(tables.map((table) => [table.table, table.rows]));
    expect(rows).to.include({ nonces: NONCES, sessions: 2, recordings: 1, recording_chunks: 1, access_tokens: 1 });
    for (const { digest } of tables) expect(digest).to.match(/^[0-9a-f]{64}$/);

    const from = await openStore({ databaseUrl: source.databaseUrl });
    const to = await openStore({ databaseUrl: targetUrl });
    for (const sessionId of [endedId, openId]) {
      expect(await to.sessions.find(sessionId)).to.deep.equal(await from.sessions.find(sessionId));
      expect(await to.sessions.getRecording(sessionId)).to.deep.equal(await from.sessions.getRecording(sessionId));
    }
    expect(await to.chain.getScorebank(ALICE)).to.deep.equal(await from.chain.getScorebank(ALICE));
    expect((await to.sessions.claimAbandoned(64)).map(({ sessionId }) => sessionId)).to.deep.equal([openId]);
    await from.close();
    await to.close();
    // Final results are final in the copy, too.
    const change = query(`update sessions set score = 9 where session_id = '${endedId}'`);
    expect((await getRejection(change)).message).to.match(/result of an ended session is final/);
  });

  it("is not copied into a database that has rows, nor while a service works on it", async () => {
    const lease = { clock: new TestClock(), log: silentLog };
    const service = await openStore({ databaseUrl: source.databaseUrl, lease });
    const busy = await getRejection(copyStore(source.databaseUrl, targetUrl));
    expect(busy.message).to.match(/service works on the database.*stop it first/);
    await service.close();
    await copyStore(source.databaseUrl, targetUrl);
    const again = await getRejection(copyStore(source.databaseUrl, targetUrl));
    expect(again).to.be.instanceOf(StoreCopyError);
    expect(again.message).to.match(/has rows in .* already/);
  });

  it("is not copied at all where one row is lost, or one value differs", async () => {
    await (await openStore({ databaseUrl: targetUrl })).close();
    const faults = [
      ["create rule fault as on insert to nonces do instead nothing", /nonces has 1201 rows, and 0 in the copy/],
      [
        `create or replace rule fault as on insert to nonces do also update nonces set message = 'other' where nonce = new.nonce`,
        /rows of nonces differ in the copy/,
      ],
    ] as const;
    for (const [rule, message] of faults) {
      await query(rule);
      const failure = await getRejection(copyStore(source.databaseUrl, targetUrl));
      expect(failure).to.be.instanceOf(StoreCopyError);
      expect(failure.message).to.match(message);
      for (const table of ["sessions", "nonces", "recordings"])
        expect(await query(`select 1 from ${table}`), table).to.deep.equal([]);
    }
  });
});
