import { expect } from "chai";
import { copyStore, StoreCopyError } from "../../../backend/app/copy-store.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { TestClock } from "../../helpers/test-clock.ts";
import { silentLog } from "../chain/chain-fixture.ts";
import { usePostgresStores } from "./postgres-stores.ts";
import {
  ALICE,
  addSession,
  appendEvents,
  createChunk,
  createNonceRow,
  createSnapshotEvent,
  createTokens,
  storeVerifiedSession,
} from "./rows.ts";
import { getRejection, useTempDatabase } from "./suite.ts";

/** More than one batch. */
const NONCES = 1_201;

describe("a SQLite store that is copied to PostgreSQL", () => {
  const target = usePostgresStores();
  const source = useTempDatabase();
  let endedId: string;
  let openId: string;
  beforeEach(async () => {
    const store = await source.open();
    await fill(store);
    await store.close();
  });
  const copy = () => copyStore(source.databaseUrl, target.databaseUrl);

  async function fill(store: Store): Promise<void> {
    const [input, next] = [[3, 1] as const, [9, 2] as const];
    const ended = await storeVerifiedSession(store, {}, { inputs: [input, next] });
    await appendEvents(store, createSnapshotEvent(ended));
    const open = await addSession(store, { slug: "flappybots", agentName: "Ünïcode \u{1f916} 'quoted'" });
    await store.sessions.record([createChunk(open.sessionId)]);
    await store.auth.addTokens(createTokens("family"));
    await Promise.all(Array.from({ length: NONCES }, () => store.auth.addNonce(createNonceRow())));
    endedId = ended.sessionId;
    openId = open.sessionId;
  }

  it("has the same sessions, recordings and counts there, and continues with the open ones", async () => {
    const tables = await copy();
    const rows = Object.fromEntries(tables.map((table) => [table.table, table.rows]));
    expect(rows).to.include({ nonces: NONCES, sessions: 2, recordings: 1, recording_chunks: 1, access_tokens: 1 });
    for (const { digest } of tables) expect(digest).to.match(/^[0-9a-f]{64}$/);

    const from = await source.open();
    const to = await target.open();
    for (const sessionId of [endedId, openId]) {
      expect(await to.sessions.find(sessionId)).to.deep.equal(await from.sessions.find(sessionId));
      expect(await to.sessions.getRecording(sessionId)).to.deep.equal(await from.sessions.getRecording(sessionId));
    }
    expect(await to.chain.getScorebank(ALICE)).to.deep.equal(await from.chain.getScorebank(ALICE));
    expect((await to.sessions.claimAbandoned(64)).map(({ sessionId }) => sessionId)).to.deep.equal([openId]);
    // Final results are final in the copy, too.
    const change = target.query(`update sessions set score = 9 where session_id = '${endedId}'`);
    expect((await getRejection(change)).message).to.match(/result of an ended session is final/);
  });

  it("is not copied into a database that has rows, nor while a service uses it", async () => {
    const lease = { clock: new TestClock(), log: silentLog };
    const service = await source.open({ lease });
    const busy = await getRejection(copy());
    expect(busy.message).to.match(/service works on the database.*stop it first/);
    await service.close();
    await copy();
    const again = await getRejection(copy());
    expect(again).to.be.instanceOf(StoreCopyError);
    expect(again.message).to.match(/has rows in .* already/);
  });

  it("is not copied at all if one row is lost or one value differs", async () => {
    await target.open();
    const faults = [
      ["create rule fault as on insert to nonces do instead nothing", /nonces has 1201 rows, and 0 in the copy/],
      [
        `create or replace rule fault as on insert to nonces do also update nonces set message = 'other' where nonce = new.nonce`,
        /rows of nonces differ in the copy/,
      ],
    ] as const;
    for (const [rule, message] of faults) {
      await target.query(rule);
      const failure = await getRejection(copy());
      expect(failure).to.be.instanceOf(StoreCopyError);
      expect(failure.message).to.match(message);
      for (const table of ["sessions", "nonces", "recordings"])
        expect(await target.query(`select 1 from ${table}`), table).to.deep.equal([]);
    }
  });
});
