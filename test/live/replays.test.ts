import { expect } from "chai";
import type { Hex } from "viem";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import type { Store } from "../../backend/ports/store/store.ts";
import { buildReplay } from "../../domain/replay/build-replay.ts";
import { computeInputsDigest, EMPTY_INPUTS_DIGEST } from "../../domain/replay/inputs-digest.ts";
import { computeReplayDigest, PAUSE_CODES, type Replay } from "../../domain/replay/replay.ts";
import { computeGameSeed, computeSeedCommitment } from "../../domain/replay/seed.ts";
import { verifyReplay } from "../../domain/replay/verify.ts";
import { getRules } from "../../games/index.ts";
import { getRulesHash, UNPUBLISHED_RULES } from "../../games/rules-hash.ts";
import { openMemoryStore } from "../../testing/images.ts";
import { TestClock } from "../helpers/test-clock.ts";
import { type LiveTestServer, SETTINGS, startLiveTestServer } from "./live-suite.ts";
import type { TestSocket } from "./test-socket.ts";

const ENTROPY: Hex = `0x${"c0".repeat(32)}`;

describe("replays", () => {
  let store: Store;
  let clock: TestClock;
  let testServer: LiveTestServer;
  beforeEach(async () => {
    store = await openMemoryStore();
    clock = new TestClock();
    testServer = await startLiveTestServer({ store, clock });
  });
  afterEach(() => testServer.stop());

  async function join(row: SessionRow, entropy?: string): Promise<TestSocket> {
    const socket = await testServer.openSocket("play", row).open();
    socket.send({
      t: "auth",
      token: await testServer.createPlayToken(row),
      ...(entropy === undefined ? {} : { entropy }),
    });
    return socket;
  }
  async function exit(socket: TestSocket, row: SessionRow): Promise<Replay> {
    socket.send({ t: "cmd", cmd: "exit" });
    await socket.closed;
    return readReplay(row);
  }
  async function readReplay(row: SessionRow): Promise<Replay> {
    const stored = (await store.sessions.find(row.sessionId))!;
    return buildReplay(stored, await store.sessions.getRecording(row.sessionId), SETTINGS);
  }
  const getDifferences = (replay: Replay) => verifyReplay(replay, getRules).differences;
  const getDifferingFields = (replay: Replay) => getDifferences(replay).map(({ field }) => field);

  it("starts from a seed of both sides, which the first socket fixes and a reconnect does not change", async () => {
    const row = await testServer.startSession();
    const first = await join(row, ENTROPY);
    expect(await first.waitForHello()).to.include({ seedCommitment: row.seedCommitment, entropy: ENTROPY });
    await testServer.advance(1500);
    first.ws.close();
    await testServer.waitUntil(() => !testServer.game.registry.get(row.sessionId)!.playerConnected);
    const second = await join(row, "0x01");
    expect(await second.waitForHello()).to.include({ resumed: true, entropy: ENTROPY });
    await testServer.advance(500);
    const replay = await exit(second, row);
    expect(replay).to.include({
      v: 2,
      serverSeed: row.seed,
      entropy: ENTROPY,
      seed: computeGameSeed(row.seed, ENTROPY),
      seedCommitment: computeSeedCommitment(row.seed),
      rulesHash: getRulesHash(row.slug, row.rulesVersion),
    });
    expect(replay.rulesHash).to.not.equal(UNPUBLISHED_RULES);
    expect(replay.seed).to.not.equal(row.seed);
    expect(getDifferences(replay)).to.deep.equal([]);
    await testServer.waitUntil(async () => (await store.sessions.find(row.sessionId))?.verification === "verified");
  });

  it("starts from the service's seed when the player gives no entropy", async () => {
    const row = await testServer.startSession();
    const socket = await join(row);
    expect(await socket.waitForHello()).to.include({ entropy: "0x" });
    await testServer.advance(1500);
    const replay = await exit(socket, row);
    expect(replay).to.include({ v: 2, entropy: "0x", seed: row.seed, serverSeed: row.seed });
    expect(getDifferences(replay)).to.deep.equal([]);
  });

  it("lets a player who knows the service's seed choose the course by the entropy", async () => {
    const row = await testServer.startSession();
    const entropies = Array.from({ length: 100 }, (_, at): Hex => `0x${at.toString(16).padStart(64, "0")}`);
    const seeds = new Map(entropies.map((entropy) => [computeGameSeed(row.seed, entropy), entropy]));
    expect(seeds.size).to.equal(100);
    const [chosen] = [...seeds.keys()].sort();
    const socket = await join(row, seeds.get(chosen!));
    await socket.waitForHello();
    await testServer.advance(1500);
    const replay = await exit(socket, row);
    expect(replay.seed).to.equal(chosen);
    expect(getDifferences(replay)).to.deep.equal([]);
  });

  it("has nothing in its replay of the time between ticks", async () => {
    const row = await testServer.startSession();
    const socket = await join(row, ENTROPY);
    await socket.waitForHello();
    await testServer.advance(1500);
    const { pauses, ...rest } = await exit(socket, row);
    expect(pauses).to.deep.equal([]);
    const seed = ["seed", "serverSeed", "seedCommitment", "entropy"];
    const run = ["v", "slug", "rulesVersion", "rulesHash", "tickHz", "inputs", "ticks", "finalScore", "endReason"];
    const facts = ["sessionId", "wallet", "chainId", "rewards", "sequence"];
    expect(Object.keys(rest)).to.have.members([...seed, ...run, ...facts]);
  });

  it("rejects entropy that is empty, too long or not in lower-case hex", async () => {
    const row = await testServer.startSession();
    for (const entropy of ["0x", `0x${"00".repeat(33)}`, "0xAB", "ab", "0xabc"]) {
      const socket = await join(row, entropy);
      expect((await socket.closed).reason, entropy).to.equal("INVALID_TOKEN");
    }
  });

  it("tells a player who returns after a crash before the first tick that the seed was already fixed", async () => {
    const row = await testServer.startSession();
    await testServer.advance(500);
    const first = await join(row, ENTROPY);
    expect(await first.waitForHello()).to.include({ resumed: false, tick: 0 });
    // The recorder stores it within a second, and the first tick is a second after the join.
    await testServer.advance(700);
    await testServer.waitUntil(async () => (await store.sessions.find(row.sessionId))?.entropy === ENTROPY);
    await testServer.kill();
    clock = new TestClock(clock.nowMs());
    testServer = await startLiveTestServer({ store, clock });
    await testServer.game.prepareRecovery();
    await testServer.runUntilSettled(testServer.game.recover());
    const second = await join(row, "0x01");
    expect(await second.waitForHello()).to.include({ resumed: true, tick: 0, entropy: ENTROPY });
  });

  it("keeps entropy, pauses and inputs across a crash", async () => {
    const row = await testServer.startSession();
    const socket = await join(row, ENTROPY);
    await testServer.advance(2500);
    socket.send({ t: "input", dir: "left", seq: 1 });
    socket.send({ t: "cmd", cmd: "pause", seq: 2 });
    await testServer.advance(1000);
    socket.send({ t: "cmd", cmd: "resume", seq: 3 });
    await testServer.advance(2500);
    await testServer.kill();
    clock = new TestClock(clock.nowMs());
    testServer = await startLiveTestServer({ store, clock });
    await testServer.game.prepareRecovery();
    await testServer.runUntilSettled(testServer.game.recover());
    await testServer.advance(3000);
    const again = await join(row, "0x02");
    expect(await again.waitForHello()).to.include({ entropy: ENTROPY, resumed: true });
    await testServer.advance(500);
    const replay = await exit(again, row);
    expect(getDifferences(replay)).to.deep.equal([]);
    expect(replay.pauses.map(([, reason]) => reason)).to.deep.equal([PAUSE_CODES.player, PAUSE_CODES.restart]);
    const [player, restart] = replay.pauses;
    expect(player![2]).to.be.within(900, 1100);
    expect(restart![2]).to.be.within(2900, 3200);
  });

  it("starts from the service's seed when no player joins", async () => {
    const row = await testServer.startSession();
    await testServer.game.registry.end(row.sessionId, "ended_by_player");
    const replay = await readReplay(row);
    expect(replay).to.include({ v: 2, entropy: "0x", seed: row.seed, ticks: 0 });
    expect(getDifferences(replay)).to.deep.equal([]);
  });

  it("records the pause after a lost socket, and its digest covers the length", async () => {
    const row = await testServer.startSession();
    const first = await join(row, ENTROPY);
    await testServer.advance(2000);
    first.ws.terminate();
    await testServer.waitUntil(() => !testServer.game.registry.get(row.sessionId)!.playerConnected);
    await testServer.advance(4000);
    const second = await join(row);
    await second.waitForHello();
    await testServer.advance(500);
    const replay = await exit(second, row);
    expect(replay.pauses).to.have.length(1);
    const [tick, reason, ms] = replay.pauses[0]!;
    expect(reason).to.equal(PAUSE_CODES.disconnect);
    expect(ms).to.be.within(3900, 4200);
    // The spent budget stays spent after a restart.
    const tooLong: Replay["pauses"] = [
      [1, 1, 59_000],
      [2, 2, 90_000],
      [2, 1, 59_000],
    ];
    expect(getDifferingFields({ ...replay, pauses: tooLong })).to.deep.equal(["pauses[2]"]);
    // The tolerance for a late tick applies once per kind of pause, not once per pause.
    const often = (count: number, reasonCode: number, lengthMs: number): Replay["pauses"] =>
      Array.from({ length: count }, () => [1, reasonCode, lengthMs] as const);
    expect(getDifferences({ ...replay, pauses: often(7, 1, 10_000) })).to.deep.equal([]);
    expect(getDifferingFields({ ...replay, pauses: often(8, 1, 10_000) })).to.deep.equal(["pauses[7]"]);
    expect(getDifferences({ ...replay, pauses: often(30, 2, 30_000) })).to.deep.equal([]);
    expect(getDifferingFields({ ...replay, pauses: often(31, 2, 30_000) })).to.deep.equal(["pauses[30]"]);
    const shorter: Replay = { ...replay, pauses: [[tick, reason, ms - 1]] };
    expect(computeReplayDigest(shorter)).to.not.equal(computeReplayDigest(replay));
    for (const pauses of [[[tick, reason, 90_000]], [[tick, 7, 1]], [[tick + 9999, 0, 1]], [[1, 0]]])
      expect(getDifferingFields({ ...replay, pauses } as unknown as Replay)).to.deep.equal(["pauses[0]"]);
  });

  it("acknowledges a message when it is applied, with the digest of the inputs so far", async () => {
    const row = await testServer.startSession();
    const socket = await join(row, ENTROPY);
    await testServer.advance(1500);
    const before = await socket.frame((frame) => frame.phase === "running");
    expect(before).to.include({ inputsDigest: EMPTY_INPUTS_DIGEST });
    socket.send({ t: "cmd", cmd: "pause" });
    await testServer.advance(500);
    await socket.frame((frame) => frame.phase === "paused");
    socket.send({ t: "input", dir: "left", seq: 5 });
    await testServer.advance(500);
    expect(socket.getFrames().every(({ ackSeq }) => ackSeq === undefined)).to.equal(true);
    socket.send({ t: "cmd", cmd: "resume", seq: 6 });
    await testServer.advance(500);
    const applied = await socket.frame(({ ackSeq }) => ackSeq === 6);
    const { inputs } = testServer.game.registry.get(row.sessionId)!.recording;
    expect(applied.inputsDigest).to.equal(computeInputsDigest(inputs.filter(([tick]) => tick <= applied.tick)));
    expect(applied.inputsDigest).to.not.equal(EMPTY_INPUTS_DIGEST);
  });

  it("reports each part of the seed that does not match the others", async () => {
    const row = await testServer.startSession();
    const socket = await join(row, ENTROPY);
    await testServer.advance(1500);
    const replay = await exit(socket, row);
    const other: Hex = `0x${"11".repeat(32)}`;
    expect(getDifferingFields({ ...replay, entropy: "0x01" })).to.deep.equal(["seed"]);
    expect(getDifferingFields({ ...replay, seedCommitment: other })).to.deep.equal(["seedCommitment"]);
    expect(getDifferingFields({ ...replay, serverSeed: other })).to.deep.equal(["seedCommitment", "seed"]);
    expect(getDifferingFields({ ...replay, seed: other })).to.deep.equal(["seed"]);
    expect(getDifferingFields({ ...replay, rulesHash: "0x12" })).to.deep.equal(["rulesHash"]);
  });
});
