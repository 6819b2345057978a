import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { expect } from "chai";
import type { Hex } from "viem";
import { hashMessage, numberToHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { openWorker } from "../../backend/adapters/worker/worker.ts";
import type { Worker } from "../../backend/ports/system.ts";
import { buildReplay } from "../../domain/replay/build-replay.ts";
import type { Replay } from "../../domain/replay/replay.ts";
import { type BallotMessage, createBallot } from "../../domain/voting.ts";
import { SETTINGS, startLiveTestServer } from "./live-suite.ts";

const N = secp256k1.Point.Fn.ORDER;

describe("the worker", () => {
  let worker: Worker;
  before(() => {
    worker = openWorker({ threads: 1 });
  });
  after(() => worker.close());

  const account = privateKeyToAccount(generatePrivateKey());
  const message = "Sign in to Agent Arcade\n\nñ 🦀";

  it("the worker recovers the signer of a text message and of a digest", async () => {
    const signature = await account.signMessage({ message });
    expect(await worker.recoverMessage(message, signature)).to.equal(account.address);
    expect(await worker.recoverDigest(hashMessage(message), signature)).to.equal(account.address);
    expect(await worker.recoverMessage(`${message} `, signature)).to.not.equal(account.address);
    const zeroBased = `${signature.slice(0, -2)}${signature.endsWith("1b") ? "00" : "01"}` as Hex;
    expect(await worker.recoverMessage(message, zeroBased)).to.equal(account.address);
  });

  it("the worker recovers the signer of a ballot, and rejects a ballot that cannot be hashed", async () => {
    const fields = { walletAddress: account.address, gameSlug: "reef", voteSource: "human", nonce: "n", cycleId: "1" };
    const ballot = createBallot(31337, fields as BallotMessage);
    const signature = await account.signTypedData(ballot as never);
    expect(await worker.recoverTypedData(ballot, signature)).to.equal(account.address);
    const other = createBallot(31337, { ...fields, cycleId: "2" } as BallotMessage);
    expect(await worker.recoverTypedData(other, signature)).to.not.equal(account.address);
    const wrong = await worker
      .recoverTypedData(createBallot(31337, { ...fields, cycleId: "x" } as BallotMessage), signature)
      .catch((error) => error);
    expect(wrong).to.include({ code: "VALIDATION_FAILED" });
    expect(wrong.message).to.include("typedData.message.cycleId");
  });

  it("the worker returns null for anything but a low-s signature of 64 or 65 bytes", async () => {
    const signature = await account.signMessage({ message });
    const r = signature.slice(2, 66);
    const s = BigInt(`0x${signature.slice(66, 130)}`);
    const v = signature.slice(130);
    const highS = numberToHex(N - s, { size: 32 }).slice(2);
    const zero = "0".repeat(64);
    const full = numberToHex(N, { size: 32 }).slice(2);
    for (const bad of [
      `0x${r}${highS}${v === "1b" ? "1c" : "1b"}`,
      `0x${r}${highS}${v}`,
      signature.slice(0, -4),
      `${signature}00`,
      `0x${signature.slice(2, 130)}1d`,
      `0x${signature.slice(2, 130)}25`,
      `0x${zero}${signature.slice(66)}`,
      `0x${r}${zero}${v}`,
      `0x${full}${signature.slice(66)}`,
      signature.slice(2),
      "0x",
      `0x${"zz".repeat(65)}`,
    ]) {
      expect(await worker.recoverMessage(message, bad as Hex), bad).to.equal(null);
    }
    expect(await worker.recoverDigest("0x1234", signature)).to.equal(null);
  });

  it("closing it waits for each thread's task, and rejects tasks without a thread", async () => {
    const folder = await mkdtemp(join(tmpdir(), "arcade-worker-"));
    // The first thread finishes loading it long before the second.
    const games = `
      import { existsSync, writeFileSync } from "node:fs";
      const [first, second, closing] = ${JSON.stringify(["first", "second", "closing"].map((name) => join(folder, name)))};
      let isFirst = true;
      try {
        writeFileSync(first, "", { flag: "wx" });
      } catch {
        isFirst = false;
        writeFileSync(second, "");
      }
      const cell = new Int32Array(new SharedArrayBuffer(4));
      while (!existsSync(closing)) Atomics.wait(cell, 0, 0, 5);
      if (!isFirst) Atomics.wait(cell, 0, 0, 500);
      throw new Error("the task ran to its end");`;
    await writeFile(join(folder, "games.mjs"), games);
    const threads = openWorker({ threads: 2, gamesUrl: pathToFileURL(join(folder, "games.mjs")).href });
    const getMessage = (call: Promise<unknown>) => call.then(String, ({ message }: Error) => message);
    const calls = [1, 2, 3].map(() => getMessage(threads.verifyReplay({} as Replay)));
    while (!existsSync(join(folder, "second"))) await nextTurn();
    const closed = threads.close();
    // No task ends earlier, so that the third call still waits for a thread.
    await writeFile(join(folder, "closing"), "");
    await closed;
    expect(await Promise.all(calls)).to.deep.equal([
      ...["the task ran to its end", "the task ran to its end"],
      "The pool of threads is closed",
    ]);
    await rm(folder, { recursive: true });
  });

  it("a thread loads nothing native before its first task, which closing waits for", async () => {
    const source = await readFile(new URL("../../backend/adapters/worker/thread.ts", import.meta.url), "utf8");
    expect(source)
      .to.include('import("./tasks.ts")')
      .and.not.match(/^import /m);
  });

  it("the worker verifies a replay in its own thread, and reports the differences of a changed one", async () => {
    const testServer = await startLiveTestServer({ worker });
    const row = await testServer.startSession({ slug: "flappybots" });
    const player = await testServer.play(row);
    player.send({ t: "action", action: "FLAP" });
    await testServer.advance(2000);
    player.send({ t: "cmd", cmd: "exit" });
    await player.closed;
    await testServer.waitUntil(
      async () => (await testServer.store.sessions.find(row.sessionId))?.verification === "verified",
    );
    const stored = (await testServer.store.sessions.find(row.sessionId))!;
    const replay: Replay = buildReplay(stored, await testServer.store.sessions.getRecording(row.sessionId), SETTINGS);
    await testServer.stop();
    expect(await worker.verifyReplay(replay)).to.deep.include({ ok: true, replayDigest: stored.replayDigest });
    const { ok, differences } = await worker.verifyReplay({ ...replay, finalScore: replay.finalScore + 1 });
    expect(ok).to.equal(false);
    expect(differences).to.deep.equal([
      { field: "finalScore", expected: "what a fresh run gives", received: String(replay.finalScore + 1) },
    ]);
  });
});
