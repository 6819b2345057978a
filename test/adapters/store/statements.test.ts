import { expect } from "chai";
import type { Store } from "../../../backend/ports/store/store.ts";
import { describePostgres } from "../../helpers/postgres.ts";
import { usePostgresStores } from "./postgres-stores.ts";
import { ALICE, BASE_TIME_MS, createChannelToken, createId, createSession, hashText } from "./rows.ts";

/** Each statement is a request to another process: about 0.1 ms of CPU here, and a wait. */
describePostgres("the statements of a session's start and of signatures on PostgreSQL", () => {
  const database = usePostgresStores();
  let store: Store;
  let statements: string[] = [];
  beforeEach(async () => {
    store = await database.open({ onQuery: ({ sql }) => void statements.push(sql) });
  });

  const listOf = async (run: () => Promise<unknown>): Promise<readonly string[]> => {
    statements = [];
    await run();
    return statements;
  };

  it("read each fact that a start needs in one statement", async () => {
    const { sessions, chainFacts } = store;
    const reads: { readonly [name: string]: () => Promise<unknown> } = {
      "what waits for a snapshot": () => sessions.listPending(ALICE, "shellrunners", 10),
      "the best score on chain": () => sessions.findBestOnChain(ALICE, "shellrunners", "1"),
      "the best score": () => sessions.findBest(ALICE, "shellrunners"),
      "the tier that was given up": () => sessions.getForfeitedTier(ALICE, "shellrunners", "1"),
      "the identity": () => chainFacts.findIdentity(1n),
      "the game's token": () => chainFacts.findGameToken("shellrunners", 1n),
    };
    for (const [name, read] of Object.entries(reads)) expect(await listOf(read), name).to.have.length(1);
  });

  it("store a new session in one statement of a transaction", async () => {
    expect(await listOf(() => store.sessions.add(createSession()))).to.have.length(3);
  });

  it("share transactions for simultaneous play tokens, with a statement each", async () => {
    const tokens = Array.from({ length: 20 }, () => createChannelToken());
    const list = await listOf(() => Promise.all(tokens.map((token) => store.channelTokens.add(token))));
    expect(list.filter((sql) => sql.startsWith("start transaction"))).to.have.length.at.most(2);
    expect(list.filter((sql) => sql.includes("channel_tokens"))).to.have.length(tokens.length);
  });

  it("are two for simultaneous signatures, which are the same for any number of them", async () => {
    const sign = (count: number) =>
      Promise.all(
        Array.from({ length: count }, () => createId()).flatMap((id) => [
          store.sessions.markPrepared(id, { atMs: BASE_TIME_MS, signedUntilSeconds: 1 }),
          store.signings.record({ kind: "Snapshot", key: id, payloadHash: hashText(id), atMs: BASE_TIME_MS }),
        ]),
      );
    const list = await listOf(() => sign(20));
    expect(list.map((sql) => sql.split(" ")[0])).to.deep.equal(["start", "update", "insert", "commit"]);
    expect(await listOf(() => sign(1))).to.deep.equal(list);
  });

  it("begin a transaction whose commit does not wait for the disk in one statement", async () => {
    const list = await listOf(() => store.channelTokens.add(createChannelToken()));
    expect(list).to.have.length(3);
    expect(list[0]).to.match(/^start transaction .*synchronous_commit = off$/);
  });
});
