/** P11: compact frames beside the same frames as JSON: bytes over a whole run, and the time to encode one. */
import { CompactEncoder, encodeFrameMessage } from "../../../backend/domain/protocol/compact-encode.ts";
import { games } from "../../../backend/games/index.ts";
import { toInputCodes, toPlayFrame, toSeed } from "../../../scripts/evaluate/play.ts";
import { median } from "../compare/statistics.ts";
import { ratio } from "./driver.ts";
import { makeSession } from "./side.ts";

export function runCompact(): void {
  for (const game of games) {
    const encoder = new CompactEncoder();
    const bot = game.bots.reference();
    const state = game.init(toSeed(1), game.tickHz);
    let json = 0;
    let bytes = 0;
    let frames = 0;
    while (!state.over) {
      const frame = toPlayFrame(game, state);
      game.step(state, toInputCodes(game, bot(frame)));
      frames += 1;
      json += Buffer.byteLength(JSON.stringify({ t: "frame", frame }));
      bytes += encodeFrameMessage(encoder.encode(frame), 0).length;
    }
    bytes += JSON.stringify(encoder.allEntries()).length;
    console.log(
      `| P11 | ${game.slug}, a whole run | compact | ${(bytes / frames).toFixed(0)} bytes a frame | ${(bytes / json).toFixed(3)} | JSON ${(json / frames).toFixed(0)} bytes |`,
    );
  }
  const next = makeSession(1, 20);
  const frames = Array.from({ length: 2000 }, () => (next() as { frame: object }).frame);
  const encoder = new CompactEncoder();
  const times = { json: [] as number[], compact: [] as number[] };
  for (let round = 0; round < 10; round++) {
    let startedMs = performance.now();
    for (const frame of frames) JSON.stringify(frame);
    times.json.push(performance.now() - startedMs);
    startedMs = performance.now();
    for (const frame of frames) encodeFrameMessage(encoder.encode(frame), 0);
    times.compact.push(performance.now() - startedMs);
  }
  const [ours, theirs] = [median(times.compact) / 2, median(times.json) / 2];
  console.log(
    `| P11 | encoding, once a tick | compact | ${ours.toFixed(1)} us | ${ratio(ours, theirs)} | JSON.stringify ${theirs.toFixed(1)} us |`,
  );
}
