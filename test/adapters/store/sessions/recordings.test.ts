import Database from "better-sqlite3";
import { expect } from "chai";
import { openStore } from "../../../../backend/adapters/store/open-store.ts";
import type { RecordedChunk } from "../../../../backend/ports/store/sessions.ts";
import {
  addSession,
  createChunk,
  createEndedSession,
  createSession,
  createSessionHasher,
  endSession,
  hashText,
} from "../rows.ts";
import { createTempDatabase, describeStore } from "../suite.ts";

const chunk = (sessionId: string, tick: number, change: Partial<RecordedChunk> = {}): RecordedChunk =>
  createChunk(sessionId, { tick, score: tick * 2, inputs: [[tick - 1, 1]], ...change });

describeStore("recordings", (store, { runConcurrently }) => {
  it("grow with every flush, which also updates the session", async () => {
    const { sessions } = store;
    const [a, b] = [createSession(), createSession({ source: "browser_ws" })];
    await sessions.add(a);
    await sessions.add(b);
    await sessions.record([chunk(a.sessionId, 20), chunk(b.sessionId, 10)]);
    await sessions.record([chunk(a.sessionId, 40, { stateDigests: [hashText("600")], phase: "paused" })]);
    await sessions.record([chunk(a.sessionId, 40, { inputs: [[41, 11]], pauses: [[40, 1, 900]] })]);
    await sessions.record([chunk(a.sessionId, 60, { inputs: [] })]);
    expect(await sessions.find(a.sessionId)).to.include({ tick: 60, score: 120, phase: "running" });
    expect(await sessions.find(b.sessionId)).to.include({ tick: 10, score: 20 });
    expect(await sessions.getRecording(a.sessionId)).to.deep.equal({
      inputs: [
        [19, 1],
        [39, 1],
        [41, 11],
      ],
      stateDigests: [hashText("600")],
      pauses: [[40, 1, 900]],
      rulesHash: null,
    });
    const nothing = { inputs: [], stateDigests: [], pauses: [], rulesHash: null };
    expect(await sessions.getRecording("unknown")).to.deep.equal(nothing);
  });

  it("contain every flush of many writers", async () => {
    const session = await addSession(store);
    await runConcurrently(({ sessions }) => sessions.record([chunk(session.sessionId, 20)]));
    expect((await store.sessions.getRecording(session.sessionId)).inputs).to.have.length(50);
  });

  it("take a flush of any size, several parts of a session and unknown sessions included", async () => {
    const { sessions } = store;
    const [first, last] = [createSession().sessionId, createSession().sessionId];
    for (const sessionId of [first, last]) await sessions.add(createSession({ sessionId, source: "browser_ws" }));
    const unknown = Array.from({ length: 620 }, (_, index) => chunk(`unknown ${index}`, 20));
    await sessions.record([chunk(first, 20), chunk(first, 40), ...unknown, chunk(last, 20)]);
    expect(await sessions.find(first)).to.include({ tick: 40, score: 80 });
    expect(await sessions.find(last)).to.include({ tick: 20, score: 40 });
    expect((await sessions.getRecording(first)).inputs).to.deep.equal([
      [19, 1],
      [39, 1],
    ]);
    expect((await sessions.getRecording(last)).inputs).to.deep.equal([[19, 1]]);
    expect((await sessions.getRecording("unknown 1")).inputs).to.deep.equal([]);
    await sessions.record([]);
  });

  it("never lose entries to a late flush", async () => {
    const { sessions } = store;
    const session = await addSession(store);
    await sessions.record([chunk(session.sessionId, 40)]);
    await sessions.record([chunk(session.sessionId, 20)]);
    expect(await sessions.find(session.sessionId)).to.include({ tick: 40, score: 80 });
    expect((await sessions.getRecording(session.sessionId)).inputs).to.have.length(1);
  });

  it("are complete when the session has ended, and accept nothing afterwards", async () => {
    const { sessions } = store;
    const session = await addSession(store);
    await sessions.record([chunk(session.sessionId, 20)]);
    const inputs = Array.from({ length: 5_000 }, (_, index) => [index, index % 3] as const);
    const ended = createEndedSession(session.sessionId, { inputs, stateDigests: [hashText("1"), hashText("2")] });
    const row = await sessions.end(ended, createSessionHasher(session.sessionId));
    await sessions.record([chunk(session.sessionId, 5_000, { score: 1_000_000 })]);
    expect(await sessions.find(session.sessionId)).to.deep.equal(row);
    expect(await sessions.getRecording(session.sessionId)).to.deep.equal({
      inputs,
      stateDigests: ended.stateDigests,
      pauses: ended.pauses,
      rulesHash: ended.rulesHash,
    });
  });

  it("cannot end a session by a flush", async () => {
    const { sessions } = store;
    const session = await addSession(store);
    await sessions.record([chunk(session.sessionId, 20, { phase: "ended" })]);
    expect(await sessions.find(session.sessionId)).to.include({ phase: "ready", tick: 20, endedAtMs: null });
  });
});

describe("the result of an ended session", function () {
  this.timeout(20_000);
  const folder = createTempDatabase();
  after(() => folder.remove());

  it("cannot be changed, even by direct SQL", async () => {
    const store = await openStore({ databaseUrl: folder.databaseUrl });
    const session = await addSession(store);
    await store.sessions.record([chunk(session.sessionId, 20)]);
    const row = await endSession(store, session.sessionId);
    await store.sessions.setVerification(row.sessionId, "withheld");
    const raw = new Database(folder.file);
    try {
      for (const change of [
        "score = score + 1",
        "tick = 1",
        "phase = 'running'",
        "ended_at_ms = 1",
        "end_reason = 'exit'",
        "replay_digest = '0x00'",
        "game_session_hash = '0x00'",
        "sequence = '00000000000000000007'",
        "wallet = 'someone else'",
        "seed = '0x00'",
      ]) {
        expect(() => raw.exec(`update sessions set ${change}`), change).to.throw(/result of an ended session is final/);
      }
      expect(() => raw.exec("update sessions set verification = 'verified'")).to.throw(/verification .* is final/);
      expect(() => raw.exec("update recordings set content = ''")).to.throw(/recording .* is final/);
      expect(raw.prepare("select count(*) as chunks from recording_chunks").get()).to.deep.equal({ chunks: 0 });
    } finally {
      raw.close();
      await store.close();
    }
  });
});
