import { expect } from "chai";
import type { NewSession, RecordedChunk } from "../../../../backend/ports/store/sessions.ts";
import type { Store } from "../../../../backend/ports/store/store.ts";
import { addSession, createChunk, createNonceRow, createSession, endSession, getIds } from "../rows.ts";
import { describeNodes, EXPIRED_LEASE_MS, getRejection, writeNothing } from "../suite.ts";

interface SessionWrite {
  readonly of?: Partial<NewSession>;
  write(store: Store, sessionId: string): Promise<unknown>;
}

const record = (change: Partial<RecordedChunk>): SessionWrite => ({
  write: ({ sessions }, sessionId) => sessions.record([createChunk(sessionId, { tick: 40, inputs: [], ...change })]),
});

/** Every way in which a backend writes to a session that it runs. */
const SESSION_WRITES: { readonly [name: string]: SessionWrite } = {
  "its tick and score": record({}),
  "its inputs": record({ inputs: [[41, 2]] }),
  "its pauses": record({ pauses: [[41, 1, 500]] }),
  "its phase": record({ tick: 20, score: 3, phase: "paused" }),
  "the player's part of its seed": record({ tick: 20, entropy: "0xabcd" }),
  "its end": { write: endSession },
  "the end of a practice": { of: { source: "browser_ws", wallet: null }, write: endSession },
  "its release": { write: ({ sessions }) => sessions.releaseOpen() },
};

async function readAll({ sessions }: Store, sessionId: string) {
  return { row: await sessions.find(sessionId), recording: await sessions.getRecording(sessionId) };
}

/** A session that the first backend has started to record. */
async function startSession(first: Store, change: Partial<NewSession> = {}): Promise<string> {
  const session = await addSession(first, change);
  const { sessionId } = session;
  expect(await first.sessions.record([createChunk(sessionId, { tick: 20, inputs: [[3, 1]] })])).to.deep.equal([]);
  return sessionId;
}

const expire = (store: Store, { node }: Store) => store.nodes.renew(node!.nodeId, EXPIRED_LEASE_MS);

describeNodes("a session that another backend has claimed", (open) => {
  it("rejects every write of its former backend, and accepts those of the new one", async () => {
    const [first, second] = [await open(), await open()];
    for (const [name, { of, write }] of Object.entries(SESSION_WRITES)) {
      const sessionId = await startSession(first, of);
      await first.sessions.releaseOpen();
      expect(getIds(await second.sessions.claimAbandoned(64)), name).to.deep.equal([sessionId]);
      const before = await readAll(second, sessionId);

      const result = await write(first, sessionId).catch((error: unknown) => error);
      expect(await readAll(second, sessionId), name).to.deep.equal(before);
      if (result instanceof Error) expect(result, name).to.include({ code: "SHUTTING_DOWN" });
      else if (result !== undefined) expect(result, name).to.deep.equal([sessionId]);

      expect(
        await second.sessions.record([createChunk(sessionId, { tick: 40, inputs: [[30, 2]] })]),
        name,
      ).to.deep.equal([]);
      expect(await endSession(second, sessionId), name).to.include({ phase: "ended", owner: second.node!.nodeId });
    }
  });

  it("is not ended twice when its new backend has ended it", async () => {
    const [first, second] = [await open(), await open()];
    const sessionId = await startSession(first);
    await first.sessions.releaseOpen();
    await second.sessions.claimAbandoned(64);
    const row = await endSession(second, sessionId);
    expect(await getRejection(endSession(first, sessionId))).to.include({ code: "SHUTTING_DOWN" });
    expect(await first.sessions.record([createChunk(sessionId, { tick: 40, inputs: [] })])).to.deep.equal([sessionId]);
    expect(await second.sessions.find(sessionId)).to.deep.equal(row);
  });
});

/** A backend's writes other than to sessions. Each proves that the guard covers every write. */
const OTHER_WRITES: { readonly [name: string]: (store: Store) => Promise<unknown> } = {
  "a new session": ({ sessions }) => sessions.add(createSession()),
  "a new practice": ({ sessions }) => sessions.add(createSession({ source: "browser_ws", wallet: null })),
  "a signature": ({ signings }) => signings.record({ kind: "Vote", key: "1", payloadHash: "0x01", atMs: 1 }),
  "a nonce": ({ auth }) => auth.addNonce(createNonceRow()),
  "anything at all": writeNothing,
};

describeNodes("a backend whose lease has run out", (open) => {
  it("stores nothing", async () => {
    const second = await open();
    for (const [name, write] of Object.entries(OTHER_WRITES)) {
      let lost = 0;
      const first = await open({ onLost: () => (lost += 1) });
      await write(first);
      await expire(second, first);
      expect(await getRejection(write(first)), name).to.include({ code: "SHUTTING_DOWN" });
      expect(lost, name).to.equal(1);
      expect(first.node!.isHeld(), name).to.equal(false);
      await first.close();
    }
  });

  it("claims and writes no session", async () => {
    const [first, second] = [await open(), await open()];
    const sessionId = await startSession(first);
    await expire(second, first);
    const before = await readAll(second, sessionId);
    for (const { of, write } of Object.values(SESSION_WRITES))
      if (of === undefined) expect(await getRejection(write(first, sessionId))).to.include({ code: "SHUTTING_DOWN" });
    expect(await getRejection(first.sessions.claimAbandoned(64))).to.include({ code: "SHUTTING_DOWN" });
    expect(await readAll(second, sessionId)).to.deep.equal(before);
    expect(getIds(await second.sessions.claimAbandoned(64))).to.deep.equal([sessionId]);
  });
});

describeNodes("sessions without a backend", (open) => {
  const addSessions = async ({ sessions }: Store, count: number) => {
    const added = Array.from({ length: count }, () => createSession({ source: "browser_ws", wallet: null }));
    await Promise.all(added.map((session) => sessions.add(session)));
    return added.map(({ sessionId }) => sessionId).sort();
  };

  it("are claimed by one of several backends each, a bounded number at a time", async () => {
    const [first, ...others] = [await open(), await open(), await open(), await open()];
    const ids = await addSessions(first!, 150);
    await expire(others[0]!, first!);
    const claimed: string[] = [];
    for (let round = 0; claimed.length < ids.length && round < ids.length; round++) {
      const batches = await Promise.all(others.map(({ sessions }) => sessions.claimAbandoned(20)));
      for (const batch of batches) {
        expect(batch.length).to.be.at.most(20);
        claimed.push(...getIds(batch));
      }
    }
    expect(claimed.sort()).to.deep.equal(ids);
    for (const { sessions } of others) expect(await sessions.claimAbandoned(64)).to.deep.equal([]);
  });

  it("are open ones of a closed backend, and never those of a living one", async () => {
    const [first, second, third] = [await open(), await open(), await open()];
    const ids = await addSessions(first, 3);
    const living = await addSessions(second, 2);
    await endSession(first, ids[0]!);
    expect(await third.sessions.claimAbandoned(64)).to.deep.equal([]);
    await first.close();
    expect(getIds(await third.sessions.claimAbandoned(64))).to.deep.equal(ids.slice(1));
    await second.sessions.releaseOpen();
    expect(getIds(await third.sessions.claimAbandoned(64))).to.deep.equal(living);
  });
});
