import { expect } from "chai";
import type { Client } from "pg";
import type { ChannelTokenRow } from "../../../backend/ports/store/auth.ts";
import type { SessionRow } from "../../../backend/ports/store/sessions.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { DAY_MS } from "../../../domain/time.ts";
import { openMemoryStore } from "../../../testing/images.ts";
import { describePostgres } from "../../helpers/postgres.ts";
import { usePostgresStores } from "./postgres-stores.ts";
import {
  ALICE,
  appendEvents,
  BASE_TIME_MS,
  BOB,
  createChannelToken,
  createClaim,
  createId,
  createListing,
  createNonceRow,
  createSnapshotEvent,
  createStamp,
  createTransactionRow,
  storeEndedSession,
} from "./rows.ts";

const LOCK_WAIT_MS = 300;

/** PostgreSQL ends one of two deadlocked transactions after a second in which neither node writes. */
describePostgres("two nodes on PostgreSQL that write the same rows at once", () => {
  let one: Store;
  let other: Store;
  let client: Client;
  const database = usePostgresStores();
  /** `lockWaitMs`: how long transactions of several calls wait for a lock. Unlimited by default, to see deadlocks. */
  const open = (lockWaitMs = 0): Promise<Store> => database.openOn({ lockWaitMs });
  beforeEach(async () => {
    [one, other] = [await open(), await open()];
    client = await database.connect();
  });

  const query = async <Row>(sql: string): Promise<Row> => (await client.query(sql)).rows[0] as Row;
  const isWaiting = async (count: number): Promise<boolean> => {
    const waiting = "select count(distinct pid)::int as waiting from pg_locks where not granted";
    return (await query<{ waiting: number }>(waiting)).waiting >= count;
  };

  /** The number of transactions that were ended by a deadlock. Closes the stores, which then report it. */
  async function countDeadlocks(): Promise<number> {
    for (const store of database.stores.splice(0)) await store.close();
    const open = "select count(*)::int as open from pg_stat_activity where datname = current_database() and pid <> ";
    while ((await query<{ open: number }>(`${open}pg_backend_pid()`)).open > 0);
    const counted = "select deadlocks::int from pg_stat_database where datname = current_database()";
    return (await query<{ deadlocks: number }>(counted)).deadlocks;
  }

  /**
   * Runs the calls of `one` until they wait for a row that the test holds, then those of `other` until they wait or are
   * done, and frees the row. Calls of a store that begin together share a transaction if they may. `held`: a statement
   * that locks the row.
   */
  async function interleave(
    held: string,
    ofOne: () => readonly Promise<unknown>[],
    ofOther: () => readonly Promise<unknown>[],
  ): Promise<readonly PromiseSettledResult<unknown>[]> {
    await client.query("begin");
    expect((await client.query(held)).rowCount, held).to.equal(1);
    const first = Promise.allSettled(ofOne());
    while (!(await isWaiting(1)));
    let isDone = false;
    const second = Promise.allSettled(ofOther()).finally(() => {
      isDone = true;
    });
    while (!isDone && !(await isWaiting(2)));
    await client.query("rollback");
    return [...(await first), ...(await second)];
  }

  async function expectNoWaitForEachOther(...calls: Parameters<typeof interleave>): Promise<void> {
    const failures = (await interleave(...calls)).filter(({ status }) => status === "rejected");
    expect(failures).to.deep.equal([]);
    expect(await countDeadlocks()).to.equal(0);
  }

  const holdToken = ({ tokenHash }: ChannelTokenRow): string =>
    `select from channel_tokens where token_hash = '${tokenHash}' for update`;
  const holdSession = ({ sessionId }: SessionRow): string =>
    `select from sessions where session_id = '${sessionId}' for update`;
  const verify = (store: Store, { sessionId }: SessionRow) => store.sessions.setVerification(sessionId, "verified");
  const withhold = (store: Store, { sessionId }: SessionRow) =>
    store.operator.withholdScore(sessionId, "a test", createStamp());
  /** Ended sessions of two wallets, in the order of `slugs`. */
  async function storeSessions(...slugs: readonly string[]): Promise<readonly SessionRow[]> {
    const rows: SessionRow[] = [];
    for (const [index, slug] of slugs.entries())
      rows.push(await storeEndedSession(one, { slug, wallet: index % 2 === 0 ? ALICE : BOB }));
    return rows;
  }

  it("count sessions of several games", async () => {
    const [flap, shell, otherShell, otherFlap] = await storeSessions(
      ...["flappybots", "shellrunners", "shellrunners", "flappybots"],
    );
    await expectNoWaitForEachOther(
      holdSession(shell!),
      () => [verify(one, flap!), verify(one, shell!)],
      () => [verify(other, otherShell!), verify(other, otherFlap!)],
    );
    const totals = "select sessions::int, players::int from board_totals where board = 'all/*'";
    expect(await query(totals)).to.deep.equal({ sessions: 4, players: 2 });
  });

  it("count the same sessions", async () => {
    const [first, second, third] = await storeSessions("flappybots", "flappybots", "shellrunners");
    await expectNoWaitForEachOther(
      holdSession(second!),
      () => [verify(one, first!), verify(one, second!), verify(one, third!)],
      () => [verify(other, third!), verify(other, first!)],
    );
  });

  it("remove expired rows of several tables", async () => {
    const expiresAtMs = BASE_TIME_MS - 2 * DAY_MS;
    const [ofOne, ofOther] = [createChannelToken(), createChannelToken({ kind: "spectate" })];
    for (const row of [ofOne, ofOther]) await one.channelTokens.add(row);
    await one.auth.addNonce(createNonceRow({ issuedAtMs: expiresAtMs, expiresAtMs }));
    await one.channelTokens.add(createChannelToken({ kind: "spectate", expiresAtMs }));
    await one.idempotency.claim(createClaim({ createdAtMs: expiresAtMs }));
    await expectNoWaitForEachOther(
      holdToken(ofOne),
      () => [
        one.auth.addNonce(createNonceRow()),
        one.idempotency.claim(createClaim({ key: createId() })),
        one.channelTokens.consume(ofOne.tokenHash, BASE_TIME_MS),
      ],
      () => [
        other.channelTokens.consume(ofOther.tokenHash, BASE_TIME_MS),
        other.idempotency.claim(createClaim({ key: createId() })),
        other.auth.addNonce(createNonceRow()),
      ],
    );
    const left = "select count(*)::int as left from nonces where expires_at_ms = ";
    expect(await query(`${left}${expiresAtMs}`)).to.deep.equal({ left: 0 });
  });

  it("store the states of listings at a block", async () => {
    const listings = Array.from({ length: 3 }, () => createListing());
    for (const listing of listings) {
      await one.listings.add(listing, 0);
      await one.listings.show(listing.listingId, "0x12", BASE_TIME_MS, 10);
    }
    const [low, middle, high] = listings.map(({ listingId }) => listingId).toSorted();
    await expectNoWaitForEachOther(
      `select from listings where listing_id = '${middle}' for update`,
      () => [one.listings.setDeadSince([high!, middle!, low!], BASE_TIME_MS)],
      () => [other.listings.setDeadSince([low!, high!], BASE_TIME_MS)],
    );
  });

  it("mark transactions as sent while another one reconciles them", async () => {
    const rows = [1, 2, 3].map((nonce) => createTransactionRow(nonce));
    await one.transactions.addMany(rows);
    const [first, second, third] = rows.map(({ id }) => id);
    const include = (id: string) => one.transactions.update(id, { status: "included", block: 1 });
    await expectNoWaitForEachOther(
      `select from transactions where id = '${third}' for update`,
      () => [include(second!), include(third!), include(first!)],
      () => [other.transactions.markSent([first!, second!], BASE_TIME_MS)],
    );
  });

  const sign = (store: Store, { sessionId }: SessionRow) =>
    store.sessions.markPrepared(sessionId, { atMs: BASE_TIME_MS, signedUntilSeconds: 1 });
  const record = (store: Store, key: string) =>
    store.signings.record({ kind: "Snapshot", key, payloadHash: "0x01", atMs: BASE_TIME_MS });

  it("mark the sessions of signatures", async () => {
    const rows = await storeSessions("flappybots", "shellrunners", "flappybots");
    for (const row of rows) await verify(one, row);
    const [low, middle, high] = rows;
    await expectNoWaitForEachOther(
      holdSession(middle!),
      () => [sign(one, high!), sign(one, middle!), sign(one, low!)],
      () => [sign(other, low!), sign(other, high!)],
    );
  });

  it("record signatures", async () => {
    await expectNoWaitForEachOther(
      "insert into signings (kind, key, payload_hash, created_at_ms) values ('Snapshot', 'b', '0x02', 1)",
      () => [record(one, "c"), record(one, "b"), record(one, "a")],
      () => [record(other, "a"), record(other, "c")],
    );
  });

  it("mark sessions and record their signatures", async () => {
    const [row] = await storeSessions("flappybots");
    await verify(one, row!);
    await expectNoWaitForEachOther(
      holdSession(row!),
      () => [sign(one, row!), record(one, row!.sessionId)],
      () => [record(other, "of a mint"), record(other, row!.sessionId), sign(other, row!)],
    );
  });

  it("wait for each other at most as long as a transaction of several calls waits for a lock", async () => {
    const tokens = Array.from({ length: 3 }, () => createChannelToken({ kind: "spectate" }));
    for (const token of tokens) await one.channelTokens.add(token);
    const [first, held, last] = tokens;
    const [bounded, otherBounded] = [await open(LOCK_WAIT_MS), await open(LOCK_WAIT_MS)];
    const consume = (store: Store, ...rows: readonly ChannelTokenRow[]) =>
      rows.map(({ tokenHash }) => store.channelTokens.consume(tokenHash, BASE_TIME_MS));
    const settled = await interleave(
      holdToken(held!),
      () => consume(bounded, first!, held!, last!),
      () => consume(otherBounded, last!, first!),
    );
    const used = settled.map((result) => result.status === "fulfilled" && result.value);
    // One call used each token, whichever came first.
    expect(used.toSorted()).to.deep.equal([false, false, true, true, true]);
    expect(await countDeadlocks()).to.equal(0);
  });

  /** A pair of calls, one of each node, that write the same row. */
  type Calls = readonly [one: () => Promise<unknown>, other: () => Promise<unknown>];
  const BESIDE_OTHER_CALLS: { readonly [title: string]: () => Promise<Calls> } = {
    "count sessions": async () => {
      const [flap, shell] = await storeSessions("flappybots", "shellrunners");
      return [() => verify(one, flap!), () => verify(other, shell!)];
    },
    "take scores back": async () => {
      const rows = await storeSessions("flappybots", "shellrunners");
      for (const row of rows) await verify(one, row);
      return [() => withhold(one, rows[0]!), () => withhold(other, rows[1]!)];
    },
    "store the events of a session": async () => {
      const [row] = await storeSessions("flappybots");
      return [
        () => appendEvents(one, createSnapshotEvent(row!)),
        () => other.sessions.addTranscriptSignature(row!.sessionId, "0x12"),
      ];
    },
    "remove old rows for all": async () => {
      const expiresAtMs = BASE_TIME_MS - 2 * DAY_MS;
      await one.auth.addNonce(createNonceRow({ issuedAtMs: expiresAtMs, expiresAtMs }));
      return [
        () => one.retention.purge("nonces", BASE_TIME_MS - DAY_MS, 10),
        () => other.auth.addNonce(createNonceRow()),
      ];
    },
    "check a listing": async () => {
      const listing = createListing();
      await one.listings.add(listing, 0);
      const ids = [listing.listingId];
      const setDead = (store: Store) => store.listings.setDeadSince(ids, BASE_TIME_MS);
      return [() => setDead(one), () => setDead(other)];
    },
    "take a nonce of the operator": async () => {
      const add = (store: Store) => store.transactions.add(createTransactionRow(7)).catch(() => undefined);
      return [() => add(one), () => add(other)];
    },
  };
  for (const [title, prepare] of Object.entries(BESIDE_OTHER_CALLS))
    it(`${title} beside other calls`, async () => {
      const token = createChannelToken();
      await one.channelTokens.add(token);
      const claim = createClaim({ key: createId() });
      const [ofOne, ofOther] = await prepare();
      await expectNoWaitForEachOther(
        holdToken(token),
        () => [one.idempotency.claim(claim), one.channelTokens.consume(token.tokenHash, BASE_TIME_MS), ofOne()],
        () => [ofOther(), other.idempotency.claim(claim)],
      );
    });
});

describe("a listing that its seller hides and the operator restores", () => {
  it("is written by both after the operator's row", async () => {
    let statements: string[] = [];
    const store = await openMemoryStore({ onQuery: ({ sql }) => void statements.push(sql) });
    const { listingId } = createListing();
    await store.listings.add(createListing({ listingId }), 0);
    const listWritten = async (run: () => Promise<unknown>): Promise<readonly string[]> => {
      statements = [];
      await run();
      const tables = statements.map((sql) => /^(?:insert into|update|delete from) "(\w+)"/.exec(sql)?.[1] ?? "");
      return tables.filter((table) => table.endsWith("listings"));
    };
    const inOrder = ["hidden_listings", "listings"];
    const { operator, listings } = store;
    expect(await listWritten(() => operator.hideListing(listingId, "a test", createStamp()))).to.deep.equal(inOrder);
    expect(await listWritten(() => listings.hide(listingId))).to.deep.equal(inOrder);
    expect(await listWritten(() => operator.restoreListing(listingId, "a test", createStamp()))).to.deep.equal(inOrder);
    await store.close();
  });
});
