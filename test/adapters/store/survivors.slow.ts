import { expect } from "chai";
import { openConnection } from "../../../backend/adapters/store/connection.ts";
import { openPostgres } from "../../../backend/adapters/store/postgres/dialect.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { describePostgres } from "../../helpers/postgres.ts";
import { startLiveTestServer } from "../../live/live-suite.ts";
import { usePostgresStores } from "./postgres-stores.ts";
import { addSession, createChunk, createNonceRow, getIds } from "./rows.ts";
import { createNodeOptions } from "./suite.ts";

const SESSIONS = 6;

describePostgres("nodes that outlive another one", () => {
  const database = usePostgresStores();

  const open = (takesSingletons = false): Promise<Store> =>
    database.open({ node: createNodeOptions({ takesSingletons }) });
  const connect = () => database.connect();
  const claim = async ({ sessions }: Store) => getIds(await sessions.claimAbandoned(64));
  async function addSessions(store: Store): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < SESSIONS; n++)
      ids.push((await addSession(store, { wallet: `0x${String(n).padStart(40, "0")}` })).sessionId);
    return ids;
  }
  /** A surviving node, and the sessions that another node has left. */
  async function openSurvivor() {
    const [dead, survivor] = [await open(), await open()];
    const ids = await addSessions(dead);
    await dead.sessions.releaseOpen();
    return { survivor, ids };
  }

  it("claim the other sessions at once while one of them claims some", async () => {
    const { survivor, ids } = await openSurvivor();
    const other = await connect();
    await other.query("begin");
    await other.query("select session_id from sessions where session_id = any($1) for update", [ids.slice(0, 3)]);
    // The other survivor's claim takes arbitrarily long.
    expect(await claim(survivor)).to.deep.equal(ids.slice(3));
    await other.query("rollback");
    expect(await claim(survivor)).to.deep.equal(ids.slice(0, 3));
  });

  it("claim sessions while another of their writes waits", async () => {
    const { survivor, ids } = await openSurvivor();
    const other = await connect();
    await other.query("begin");
    await other.query("lock table nonces in access exclusive mode");
    const added = survivor.auth.addNonce(createNonceRow());
    const waiting = "select 1 from pg_locks where relation = 'nonces'::regclass and not granted";
    while ((await other.query(waiting)).rowCount === 0);
    expect(await claim(survivor)).to.deep.equal(ids);
    await other.query("rollback");
    await added;
  });

  it("continue with the games of one that stops, while its lease is still valid", async () => {
    const [leaving, survivor] = [await open(), await open()];
    const gameServer = await startLiveTestServer({ store: leaving });
    const { sessionId } = await gameServer.startSession();
    expect(await survivor.sessions.claimAbandoned(64)).to.deep.equal([]);
    await gameServer.runUntilSettled(gameServer.game.drain());
    expect(await claim(survivor)).to.deep.equal([sessionId]);
    expect((await survivor.nodes.listLive()).map(({ nodeId }) => nodeId)).to.include(leaving.node!.nodeId);
    await gameServer.kill();
  });

  it("do not wait for a transaction of a suspended node", async () => {
    const survivor = await open();
    const [sessionId] = await addSessions(survivor);
    const { dialect, reader } = await openPostgres(database.databaseUrl);
    const connection = openConnection(dialect, { reader, busyWaitMs: 5_000 });
    const [begun, stop] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const write = connection
      .write(async (db) => {
        await db.updateTable("sessions").set({ score: 7 }).where("sessionId", "=", sessionId!).execute();
        begun.resolve();
        await stop.promise;
      })
      .catch((error: unknown) => error);
    await begun.promise;
    await survivor.sessions.record([createChunk(sessionId!, { score: 1 })]);
    expect((await survivor.sessions.find(sessionId!))!.score).to.equal(1);
    stop.resolve();
    await write;
    await connection.close();
  });

  it("never claim work that they leave to nodes with the role chain", async () => {
    await open();
    const worker = await open(true);
    const locks = await connect();
    const countHeld = async (): Promise<number> =>
      Number(
        (await locks.query("select count(*) from pg_locks where locktype = 'advisory' and granted")).rows[0].count,
      );
    while ((await countHeld()) < 3) await worker.probe();
    expect(database.stores[0]!.singletons.indexer.isHeld()).to.equal(false);
    while (!Object.values(worker.singletons).every((singleton) => singleton.isHeld())) await worker.probe();
  });
});
