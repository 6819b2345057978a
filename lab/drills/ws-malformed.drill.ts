/**
 * E2: malformed messages, broken frames and half-open upgrades beside a player. What may never happen: a crash, an
 * error without a code or a reason, memory that is not released, a tick much later than without them.
 */

import { once } from "node:events";
import { connect } from "node:net";
import { expect } from "chai";
import { CLOSE_REASONS } from "../../domain/protocol/rules.ts";
import {
  createRandom,
  expectFigure,
  IS_SELF_TEST,
  printFigures,
  SEED,
  scaleCount,
  sleep,
  waitUntil,
} from "./support/drill.ts";
import { GameProcess, type GameSession } from "./support/game-process.ts";
import { expectPunctual, LatenessWatch } from "./support/lateness-watch.ts";

const MESSAGES = scaleCount(10_000);
/** The tenth within 10 s closes the socket. */
const MESSAGES_MAX = 10;
const FRAMES = scaleCount(1000);
const UPGRADES = scaleCount(1000);
const LATE_MAX_MS = 12.5;
const random = createRandom(SEED);
const pickRandom = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;

const FIELD_VALUES = [
  "left",
  "",
  "__proto__",
  "FLAP",
  "x".repeat(40),
  null,
  7,
  -1,
  1e308,
  true,
  {},
  [],
  "\u0000",
  "🦀",
];
const KEYS = ["t", "dir", "action", "cmd", "seq", "token", "constructor", "__proto__"];
const TYPES = ["input", "action", "cmd", "auth", "ping ", "frame", "", 5, null];

/** Creates a text that is not a valid message of this channel, however similar. */
function createMalformedMessage(): string {
  const kind = Math.floor(random() * 4);
  if (kind === 0)
    return pickRandom(["", "{", "null", "[]", "[[[[", "NaN", "{}}", '"auth"', "\u0000", '{"t":', "1e999"]);
  if (kind === 1) return "[".repeat(1 + Math.floor(random() * 900));
  const fields = Array.from(
    { length: 1 + Math.floor(random() * 4) },
    () => `${JSON.stringify(pickRandom(KEYS))}:${JSON.stringify(pickRandom(FIELD_VALUES))}`,
  );
  return `{"t":${JSON.stringify(pickRandom(TYPES))},"no":1,${fields.join(",")}}`;
}

describe("E2: malformed messages, broken frames, half-open upgrades", function () {
  this.timeout(240_000);
  let game: GameProcess;
  let session: GameSession;
  /** Without load: shows how much the machine itself delays ticks at the same time. */
  let control: GameProcess;
  before(async () => {
    game = await GameProcess.start(IS_SELF_TEST ? { DRILL_FAULT: "parse" } : {});
    session = await game.open();
    control = await GameProcess.start();
    await control.join("play", await control.open());
  });
  after(() => Promise.all([game.stop(), control.stop()]));

  it("malformed messages get a typed error or a close code, without an effect on players and memory", async () => {
    const player = await game.join("play", session);
    await player.frame(({ phase }) => phase === "running");
    await sleep(2000);
    const before = await game.stats();
    const watch = new LatenessWatch(game, control, LATE_MAX_MS);
    let [messages, errors] = [0, 0];
    const reasons = new Map<string, number>();
    for (; messages < MESSAGES || !watch.isEnough; messages += MESSAGES_MAX) {
      const target = await game.open();
      const socket = await game.join(pickRandom(["play", "spectate"]), target);
      for (let i = 0; i < MESSAGES_MAX; i++) socket.send(createMalformedMessage());
      const { code, reason } = await socket.closed;
      expect(CLOSE_REASONS, `${code} ${reason}`).to.have.property(reason);
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      await game.end(target);
      for (const message of socket.messages)
        if (message.t === "error") errors += message.code === "BAD_MESSAGE" ? 1 : 0;
    }
    for (let i = 0; i < FRAMES; i++) {
      const socket = await game.socket("spectate", session).open();
      const raw = (socket.ws as unknown as { _socket: import("node:net").Socket })._socket;
      raw.write(Buffer.from(Array.from({ length: 2 + Math.floor(random() * 30) }, () => Math.floor(random() * 256))));
      raw.end();
      await socket.closed;
    }
    const halfOpenSockets = [];
    for (let i = 0; i < UPGRADES; i++) {
      const raw = connect({ host: "127.0.0.1", port: game.port, localAddress: game.nextAddress() });
      raw.on("error", () => {});
      await once(raw, "connect");
      const largeHeader = i % 3 === 0 ? `X-Heavy: ${"h".repeat(20_000)}\r\n` : "";
      raw.write(
        `GET /ws/shellrunners/play?sessionId=${session.sessionId} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n${largeHeader}`,
      );
      halfOpenSockets.push(raw);
      if (halfOpenSockets.length > 100) halfOpenSockets.shift()!.destroy();
    }
    const { excessMs, figure } = await watch.stop();
    for (const raw of halfOpenSockets) raw.destroy();
    await waitUntil(
      "every connection without a token is closed",
      async () => (await game.stats()).unauthenticated === 0,
      60_000,
    );
    const after = await game.stats();
    printFigures({
      messages,
      frames: FRAMES,
      upgrades: UPGRADES,
      errors,
      closes: JSON.stringify([...reasons]),
    });
    printFigures({
      "the player's ticks": figure,
      heap: `${before.heapMb.toFixed(0)} -> ${after.heapMb.toFixed(0)} MB`,
    });
    expect(game.isAlive).to.equal(true);
    expect(after.unauthenticated, "connections without a token that are still open").to.equal(0);
    expect(after.sessions).to.equal(1);
    const { tick } = player.getFrames().at(-1)!;
    await player.frame((frame) => frame.tick > tick);
    expectFigure(() => expect(after.heapMb - before.heapMb, "memory").to.be.below(40));
    expectPunctual(excessMs, LATE_MAX_MS);
  });
});
