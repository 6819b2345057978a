import { expect } from "chai";
import type { Client, PoolClient } from "pg";
import { openPool } from "../../../backend/adapters/store/postgres/connections.ts";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { useEach } from "../../helpers/fixture.ts";
import { describePostgres } from "../../helpers/postgres.ts";
import { TestClock } from "../../helpers/test-clock.ts";
import { waitUntil } from "../../helpers/wait-until.ts";
import { silentLog } from "../chain/chain-fixture.ts";
import { type PostgresStores, usePostgresStores } from "./postgres-stores.ts";
import { ALICE, addSession, createChannelToken, createChunk } from "./rows.ts";
import { startStallingProxy } from "./stalling-proxy.ts";
import { createNodeOptions, getRejection } from "./suite.ts";

const EMPTY_PROFILE = { agentName: "A", bio: "", links: [], image: null, services: [] };
/** Instead of 15 s. */
const ANSWER_MS = 3_000;
/** The first statement of a transaction that writes. */
const BEGIN_WRITE = "start transaction isolation level serializable";
/** The last message of a transaction. */
const COMMIT = "commit\0";

describePostgres("connections to PostgreSQL", () => {
  const database = usePostgresStores();
  let store: Store;
  const clock = new TestClock();
  const proxy = useEach(() => startStallingProxy(database.databaseUrl));
  beforeEach(async () => {
    store = await open({ node: createNodeOptions({ clock }) });
  });
  const open = (options: Parameters<PostgresStores["open"]>[0]) =>
    database.openOn({ url: proxy.databaseUrl, answerMs: ANSWER_MS }, options);

  it("a fact that another process changes has a new version if the notifications' connection is dead", async () => {
    const other = await database.open();
    const getVersion = () => store.facts.getVersion("standings");
    const isHeard = (): boolean => {
      const version = getVersion();
      return getVersion() === version;
    };
    expect(isHeard()).to.equal(true);
    const before = getVersion();
    expect(proxy.stall("listen arcade_facts")).to.equal(1);
    await other.identities.changeProfile(ALICE, {}, EMPTY_PROFILE, clock.nowMs());
    await waitUntil(() => getVersion() !== before);
    // Until it listens on another connection.
    await waitUntil(isHeard);
  });

  const askForIndexer = (): boolean => {
    clock.advance(500);
    return store.singletons.indexer.isHeld();
  };

  it("a lock whose connection is dead is requested on another one, and the store closes", async () => {
    await waitUntil(askForIndexer);
    expect(proxy.stall("pg_try_advisory_lock")).to.be.greaterThan(0);
    clock.advance(2_000);
    expect(store.singletons.indexer.isHeld()).to.equal(false);
    await waitUntil(askForIndexer);
  });

  const addToken = () => store.channelTokens.add(createChannelToken());
  const getFailure = async (call: Promise<unknown>) => {
    const { code, message } = await getRejection(call);
    return { code, message };
  };
  const MAY_BE_STORED = {
    code: "STORAGE_BUSY",
    message:
      "The connection to the database was lost before its answer; ask for the state, or send the same request again.",
  };

  it("a write whose connection is dead fails after a while, and the next one has another connection", async () => {
    await addToken();
    expect(proxy.stall(BEGIN_WRITE)).to.equal(1);
    expect(await getFailure(addToken())).to.deep.equal(MAY_BE_STORED);
    await addToken();
  });

  it("a write whose connection dies during its commit reports that it may be stored, and it is", async () => {
    const token = createChannelToken();
    const held = proxy.hold(COMMIT);
    const write = getFailure(store.channelTokens.add(token));
    (await held).deliver();
    expect(await write).to.deep.equal(MAY_BE_STORED);
    expect(await store.channelTokens.find(token.tokenHash)).to.include({ tokenHash: token.tokenHash });
  });

  /** As in production, a call is not repeated after such a long wait for its answer. */
  const openImpatient = () => open({ busyWaitMs: ANSWER_MS / 3 });
  const connect = () => database.connect();
  const isOneWaiting = async (observer: Client): Promise<boolean> =>
    (await observer.query("select 1 from pg_locks where not granted")).rowCount! > 0;

  it("a read whose connection is dead fails after a while, and the next one has another connection", async () => {
    const { channelTokens } = await openImpatient();
    const token = createChannelToken();
    await channelTokens.add(token);
    await channelTokens.find(token.tokenHash);
    expect(proxy.stall("channel_tokens")).to.be.greaterThan(0);
    expect(await getFailure(channelTokens.find(token.tokenHash))).to.include({ code: "STORAGE_BUSY" });
    expect(await channelTokens.find(token.tokenHash)).to.include({ tokenHash: token.tokenHash });
  });

  it("a statement that waits for a lock ends in the server soon after its connection was cut", async () => {
    const { channelTokens } = await openImpatient();
    const [holder, observer] = [await connect(), await connect()];
    await holder.query("begin; lock table channel_tokens in access exclusive mode");
    const failure = getFailure(channelTokens.find("unknown"));
    await waitUntil(() => isOneWaiting(observer));
    expect(await failure).to.include({ code: "STORAGE_BUSY" });
    await waitUntil(async () => !(await isOneWaiting(observer)));
  });

  /** A node with a lease of 3 s. `waitForRenewals` resolves when the lease is a second longer, or lost. */
  async function openLeased(): Promise<{ readonly node: Store; waitForRenewals(): Promise<void>; isLost(): boolean }> {
    let isLost = false;
    const onLost = () => {
      isLost = true;
    };
    const url = "http://leased.example";
    const options = { clock: systemClock, log: silentLog, url, isExclusive: false, onLost };
    const node = await database.openOn({ url: proxy.databaseUrl }, { node: options });
    const direct = await database.open();
    const readLease = async (): Promise<number> =>
      (await direct.nodes.listLive()).find((row) => row.url === url)?.leaseUntilMs ?? 0;
    return {
      node,
      async waitForRenewals() {
        const endsMs = await readLease();
        await waitUntil(async () => isLost || (await readLease()) > endsMs + 1_000);
      },
      isLost: () => isLost,
    };
  }
  /** So that a claim has something to take. */
  const abandonSession = async (node: Store): Promise<void> => {
    await addSession(node);
    await node.sessions.releaseOpen();
  };
  const RENEWAL = 'update "nodes" set "lease_until_ms"';

  it("a lease is renewed over another connection when its own is dead", async () => {
    const { waitForRenewals, isLost } = await openLeased();
    await waitForRenewals();
    expect(proxy.stall(RENEWAL)).to.be.greaterThan(0);
    await waitForRenewals();
    expect(isLost()).to.equal(false);
  });

  for (const [when, text] of Object.entries({ "before a renewal": "begin", "before its commit": COMMIT }))
    it(`a lease is renewed when all connections died ${when}`, async () => {
      const { node, waitForRenewals, isLost } = await openLeased();
      await abandonSession(node);
      await node.sessions.claimAbandoned(1);
      await waitForRenewals();
      await proxy.hold(text);
      proxy.stall("");
      await waitForRenewals();
      expect(isLost()).to.equal(false);
    });

  it("a claim of sessions whose connection is dead fails, and the next one has another connection", async () => {
    await abandonSession(store);
    expect(await store.sessions.claimAbandoned(1)).to.have.length(1);
    await store.sessions.releaseOpen();
    expect(proxy.stall("skip locked")).to.equal(1);
    expect(await getFailure(store.sessions.claimAbandoned(1))).to.deep.equal(MAY_BE_STORED);
    expect(await store.sessions.claimAbandoned(1)).to.have.length(1);
  });

  it("a store whose connections are all dead closes", async () => {
    await waitUntil(askForIndexer);
    await addToken();
    await store.channelTokens.find("unknown");
    expect(proxy.stall("")).to.be.greaterThan(5);
    await database.stores.pop()!.close();
  });

  const waitForEnd = (client: PoolClient) => new Promise<void>((resolve) => client.once("end", resolve));

  it("a closing pool cuts dead connections, both idle ones and those still in use", async () => {
    const { pool, end } = openPool({ connectionString: proxy.databaseUrl });
    const [idle, used] = [await pool.connect(), await pool.connect()];
    const ended = [idle, used].map(waitForEnd);
    idle.release();
    expect(proxy.stall("")).to.be.greaterThan(1);
    const closed = end();
    await ended[0];
    used.release();
    await ended[1];
    await closed;
  });

  it("a closing pool cuts dead connections when none is in use", async () => {
    const { pool, end } = openPool({ connectionString: proxy.databaseUrl });
    const client = await pool.connect();
    const ended = waitForEnd(client);
    client.release();
    expect(proxy.stall("")).to.be.greaterThan(0);
    await end();
    await ended;
  });

  it("a new connection that dies during its first statements is cut, and the pool closes", async () => {
    const { pool, end } = openPool({ connectionString: proxy.databaseUrl, connectionTimeoutMillis: ANSWER_MS });
    const held = proxy.hold("transaction_read_only");
    const connecting = getRejection(pool.connect());
    await held;
    expect(proxy.stall("")).to.be.greaterThan(0);
    const closed = end();
    expect(await connecting).to.include({ code: "ETIMEDOUT" });
    await closed;
  });

  it("a recording that is read after an unanswered flush contains what the flush stores later", async () => {
    const { sessionId } = await addSession(store);
    const chunk = createChunk(sessionId);
    const observer = await connect();
    const held = proxy.hold(COMMIT);
    const flush = getFailure(store.sessions.record([chunk]));
    const commit = await held;
    commit.cut();
    expect(await flush).to.deep.equal(MAY_BE_STORED);
    let isRead = false;
    const recording = store.sessions.getSettledRecording(sessionId).finally(() => {
      isRead = true;
    });
    // The commit arrives after the read has begun.
    await waitUntil(async () => isRead || (await isOneWaiting(observer)));
    commit.deliver();
    expect((await recording).inputs).to.deep.equal(chunk.inputs);
  });

  it("a write that waits too long for a connection behind another one gets STORAGE_BUSY", async () => {
    const patient = await database.open();
    const holder = await connect();
    await holder.query("begin; lock table subscribers in access exclusive mode");
    const blocked = patient.newsletter.add({ email: "agent@example.org", createdAtMs: 1 });
    // `blocked` has the connection for writes before the next call requests it.
    await patient.channelTokens.find("unknown");
    const write = patient.channelTokens.add(createChannelToken());
    expect(await getRejection(write)).to.include({ code: "STORAGE_BUSY" });
    await holder.end();
    await blocked;
  });
});
