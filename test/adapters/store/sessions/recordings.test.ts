import Database from "better-sqlite3";
import { expect } from "chai";
import type { RecordedChunk } from "../../../../backend/ports/store/sessions.ts";
import { addSession, createChunk, createEndedSession, createSessionHasher, endSession } from "../rows.ts";
import { describeStore, useTempDatabase } from "../suite.ts";

const chunk = (sessionId: string, tick: number, change: Partial<RecordedChunk> = {}): RecordedChunk =>
  createChunk(sessionId, { tick, score: tick * 2, inputs: [[tick - 1, 1]], ...change });

describeStore("recordings", (store, { runConcurrently }) => {
  const record = (...chunks: readonly RecordedChunk[]) => store.sessions.record(chunks);
  const find = (sessionId: string) => store.sessions.find(sessionId);
  const getRecording = (sessionId: string) => store.sessions.getRecording(sessionId);
  const add = async (source: "agent_api" | "browser_ws" = "agent_api") =>
    (await addSession(store, { source })).sessionId;

  it("grow with every flush, which also updates the session", async () => {
    const [a, b] = [await add(), await add("browser_ws")];
    await record(chunk(a, 20), chunk(b, 10));
    await record(chunk(a, 40, { phase: "paused" }));
    await record(chunk(a, 40, { inputs: [[41, 11]], pauses: [[40, 1, 900]] }));
    await record(chunk(a, 60, { inputs: [] }));
    expect(await find(a)).to.include({ tick: 60, score: 120, phase: "running" });
    expect(await find(b)).to.include({ tick: 10, score: 20 });
    expect(await getRecording(a)).to.deep.equal({
      inputs: [
        [19, 1],
        [39, 1],
        [41, 11],
      ],
      pauses: [[40, 1, 900]],
      rulesHash: null,
    });
    const nothing = { inputs: [], pauses: [], rulesHash: null };
    expect(await getRecording("unknown")).to.deep.equal(nothing);
  });

  it("contain every flush of many writers", async () => {
    const id = await add();
    await runConcurrently(({ sessions }) => sessions.record([chunk(id, 20)]));
    expect((await getRecording(id)).inputs).to.have.length(50);
  });

  it("accept a flush of any size, including several parts of a session and unknown sessions", async () => {
    const [first, last] = [await add("browser_ws"), await add("browser_ws")];
    const unknown = Array.from({ length: 620 }, (_, index) => chunk(`unknown ${index}`, 20));
    await record(chunk(first, 20), chunk(first, 40), ...unknown, chunk(last, 20));
    expect(await find(first)).to.include({ tick: 40, score: 80 });
    expect(await find(last)).to.include({ tick: 20, score: 40 });
    const ticks = async (id: string) => (await getRecording(id)).inputs.map(([tick]) => tick);
    expect(await Promise.all([first, last, "unknown 1"].map(ticks))).to.deep.equal([[19, 39], [19], []]);
    await record();
  });

  it("never lose entries to a late flush", async () => {
    const id = await add();
    await record(chunk(id, 40));
    await record(chunk(id, 20));
    expect(await find(id)).to.include({ tick: 40, score: 80 });
    expect((await getRecording(id)).inputs).to.have.length(1);
  });

  it("are complete when the session has ended, and accept nothing afterwards", async () => {
    const id = await add();
    await record(chunk(id, 20));
    const inputs = Array.from({ length: 5_000 }, (_, index) => [index, index % 3] as const);
    const ended = createEndedSession(id, { inputs });
    const row = await store.sessions.end(ended, createSessionHasher(id));
    await record(chunk(id, 5_000, { score: 1_000_000 }));
    expect(await find(id)).to.deep.equal(row);
    const { pauses, rulesHash } = ended;
    expect(await getRecording(id)).to.deep.equal({ inputs, pauses, rulesHash });
  });

  it("cannot end a session with a flush", async () => {
    const id = await add();
    await record(chunk(id, 20, { phase: "ended" }));
    expect(await find(id)).to.include({ phase: "ready", tick: 20, endedAtMs: null });
  });
});

describe("the result of an ended session", () => {
  const database = useTempDatabase();

  it("cannot be changed, even by direct SQL", async () => {
    const store = await database.open();
    const { sessionId } = await addSession(store);
    await store.sessions.record([chunk(sessionId, 20)]);
    await endSession(store, sessionId);
    await store.sessions.setVerification(sessionId, "withheld");
    const raw = new Database(database.file);
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
      ])
        expect(() => raw.exec(`update sessions set ${change}`), change).to.throw(/result of an ended session is final/);
      expect(() => raw.exec("update sessions set verification = 'verified'")).to.throw(/verification .* is final/);
      expect(() => raw.exec("update recordings set content = ''")).to.throw(/recording .* is final/);
      expect(raw.prepare("select count(*) as chunks from recording_chunks").get()).to.deep.equal({ chunks: 0 });
    } finally {
      raw.close();
    }
  });
});
