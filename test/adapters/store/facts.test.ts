import { expect } from "chai";
import { openStore } from "../../../backend/adapters/store/open-store.ts";
import type { StoreFact } from "../../../backend/ports/store/facts.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { PERIODS, toBoardKey } from "../../../domain/leaderboard.ts";
import { waitUntil } from "../../helpers/wait-until.ts";
import { runAllQueries } from "./all-queries.ts";
import { ALICE, BASE_TIME_MS, createEndedSession, createSession, createSessionHasher } from "./rows.ts";
import { createTempDatabase, describeStore } from "./suite.ts";

const SLUG = "shellrunners";
const PAGE = { page: 1, limit: 100 };
const profile = (agentName: string) => ({
  wallet: ALICE,
  agentName,
  bio: "",
  links: [],
  image: null,
  services: [],
  updatedAtMs: 1,
});
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What each fact covers. */
const READS: { readonly [fact in StoreFact]: (store: Store) => Promise<unknown> } = {
  standings: async ({ standings }) => {
    const boards = PERIODS.map((period) => toBoardKey(SLUG, period, BASE_TIME_MS));
    return await Promise.all(
      boards.map(async (board) => [
        await standings.getTotals(board),
        await standings.getPage({ board, sort: "score", hideZero: false, ...PAGE }),
      ]),
    );
  },
  runs: async ({ sessions }) => {
    const query = { slug: SLUG, sort: "recent", period: "all", agentId: null, nowMs: BASE_TIME_MS, ...PAGE } as const;
    const { items, total } = await sessions.listRuns(query);
    return [
      total,
      items.map(({ sessionId, gameSessionHash, snapshotTxHash, snapshotBlock }) => [
        ...[sessionId, gameSessionHash, snapshotTxHash, snapshotBlock],
      ]),
    ];
  },
  league: async ({ league }) => {
    const current = await league.findCurrent(SLUG);
    return [
      [current?.season, current?.closesAtMs, current?.policiesDigest],
      current === null ? 0 : await league.countPolicies(current),
      await league.listPlayed(SLUG, 10),
    ];
  },
};

const FACTS = Object.keys(READS) as StoreFact[];

/** A store that calls `after` with the name of each method after each of its calls. */
function watch<T extends object>(part: T, after: (method: string) => Promise<void>, prefix = ""): T {
  return new Proxy(part, {
    get(target, name) {
      const value = target[name as keyof T] as unknown;
      const path = `${prefix}${String(name)}`;
      if (typeof value === "object" && value !== null) return watch(value, after, `${path}.`);
      if (typeof value !== "function") return value;
      return async (...args: unknown[]) => {
        const result = await value.apply(target, args);
        await after(path);
        return result;
      };
    },
  });
}

describeStore("the facts of the store", (store, { other }) => {
  it("have a new version after each call that changes the data they cover", async () => {
    const look = () =>
      Promise.all(
        FACTS.map(async (fact) => ({
          version: store.facts.getVersion(fact),
          content: JSON.stringify(await READS[fact](store)),
        })),
      );
    let before = await look();
    const changed = new Map(FACTS.map((fact) => [fact, new Set<string>()]));
    const after = async (method: string): Promise<void> => {
      const now = await look();
      for (const [i, fact] of FACTS.entries()) {
        if (now[i]!.content === before[i]!.content) continue;
        expect(now[i]!.version, `${fact} after ${method}`).to.be.greaterThan(before[i]!.version);
        changed.get(fact)!.add(method);
      }
      before = now;
    };
    await runAllQueries(watch(store, after));
    const both = ["operator.withholdScore", "sessions.setVerification"];
    expect(Object.fromEntries(Array.from(changed, ([fact, methods]) => [fact, [...methods].sort()]))).to.deep.equal({
      standings: ["identities.changeProfile", ...both],
      runs: ["chain.append", "chain.rewind", ...both],
      league: ["finish", "fixPolicies", "openFirst", "submit"].map((method) => `league.${method}`),
    });
  });

  it("keep their versions after other writes, and after reads", async () => {
    const look = () => FACTS.map((fact) => store.facts.getVersion(fact));
    const before = look();
    const session = createSession();
    await store.sessions.add(session);
    await store.sessions.end(createEndedSession(session.sessionId), createSessionHasher(session.sessionId));
    await store.newsletter.add({ email: "agent@example.org", createdAtMs: 1 });
    await store.chain.append([{ number: 1, hash: "0x01" }], []);
    for (const fact of FACTS) await READS[fact](store);
    expect(look()).to.deep.equal(before);
  });

  // Only the first write: on PostgreSQL its own notification may change the version once more after a second one began.
  it("a read after a change of the version returns the new rows", async () => {
    const before = store.facts.getVersion("standings");
    let isDone = false;
    const writing = store.identities.putProfile(profile("Pinch") as never).then(() => {
      isDone = true;
    });
    while (store.facts.getVersion("standings") === before) await nextTurn();
    const row = await store.identities.findProfile(ALICE);
    expect(row?.agentName, `written: ${isDone}`).to.equal("Pinch");
    await writing;
  });

  it("another backend's commit changes the version, and a read then returns the new rows", async () => {
    for (let round = 0; round < 20; round += 1) {
      const before = store.facts.getVersion("standings");
      await other.identities.putProfile(profile(`Pinch ${round}`) as never);
      await waitUntil(() => store.facts.getVersion("standings") !== before);
      expect((await store.identities.findProfile(ALICE))?.agentName).to.equal(`Pinch ${round}`);
    }
  });
});

describe("the facts of an SQLite file", () => {
  it("another connection's commit changes every version by the next turn of the event loop", async () => {
    const database = createTempDatabase();
    const [store, other] = [await openStore(database), await openStore(database)];
    const before = store.facts.getVersion("standings");
    await other.newsletter.add({ email: "agent@example.org", createdAtMs: 1 });
    await nextTurn();
    expect(store.facts.getVersion("standings")).to.be.greaterThan(before);
    await store.close();
    await other.close();
    database.remove();
  });
});
