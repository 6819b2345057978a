import { expect } from "chai";
import type { PlayFrame } from "../../games/game.ts";
import { findGame } from "../../games/index.ts";
import { toPlayFrame } from "../../games/play-frame.ts";
import { toSeed } from "../../scripts/evaluate/play.ts";
import { Timeline } from "../../web/session/timeline.ts";

const game = findGame("shellrunners")!;

/** Frames of ticks 0 to n - 1 of a real game, 50 ms of game time apart. */
function createFrames(count: number): PlayFrame[] {
  const state = game.init(toSeed(1), 20);
  return Array.from({ length: count }, () => {
    const frame = toPlayFrame(game, state);
    game.step(state, []);
    return frame;
  });
}

/** The picture's position in the run, in ticks. */
const getPositionTicks = (timeline: Timeline, nowMs: number): number => {
  const sample = timeline.sample(nowMs)!;
  expect(sample.alpha).to.be.within(0, 1);
  return sample.previous === null
    ? sample.frame.tick
    : sample.previous.tick + sample.alpha * (sample.frame.tick - sample.previous.tick);
};

describe("the viewer's timeline", () => {
  it("has no picture before the first frame", () => {
    expect(new Timeline(75).sample(1000)).to.equal(null);
  });

  it("moves evenly between frames that arrive unevenly", () => {
    const timeline = new Timeline(75);
    const late = [0, 12, 3, 18, 0, 9, 15, 2, 11, 0];
    const frames = createFrames(10);
    let next = 0;
    const positions: number[] = [];
    for (let nowMs = 1000; nowMs <= 1450; nowMs += 10) {
      while (next < frames.length && 1000 + next * 50 + late[next]! <= nowMs) timeline.push(frames[next++]!, nowMs);
      if (nowMs >= 1100) positions.push(getPositionTicks(timeline, nowMs));
    }
    const steps = positions.slice(1).map((position, i) => position - positions[i]!);
    for (const step of steps) expect(step).to.be.within(0.19, 0.21);
  });

  it("moves evenly when two frames arrive at a time", () => {
    const timeline = new Timeline(125);
    const frames = createFrames(20);
    const positions: number[] = [];
    for (let nowMs = 1000; nowMs <= 1950; nowMs += 10) {
      if (nowMs % 100 === 50) for (const frame of frames.splice(0, 2)) timeline.push(frame, nowMs);
      if (nowMs >= 1250) positions.push(getPositionTicks(timeline, nowMs));
    }
    const steps = positions.slice(1).map((position, i) => position - positions[i]!);
    for (const step of steps) expect(step).to.be.within(0.19, 0.21);
  });

  it("never extrapolates beyond the latest frame", () => {
    const timeline = new Timeline(50);
    for (const [i, frame] of createFrames(3).entries()) timeline.push(frame, 1000 + i * 50);
    expect(getPositionTicks(timeline, 9000)).to.equal(2);
    expect(timeline.sample(9000)?.alpha).to.equal(1);
  });

  for (const pausedFrames of [4, 100]) {
    it(`continues smoothly after a pause of ${pausedFrames} frames`, () => {
      const timeline = new Timeline(50);
      const frames = createFrames(8);
      for (const [i, frame] of frames.slice(0, 4).entries()) timeline.push(frame, 1000 + i * 50);
      for (let i = 0; i < pausedFrames; i += 1) timeline.push({ ...frames[3]!, phase: "paused" }, 1200 + i * 50);
      expect(timeline.latest?.phase).to.equal("paused");
      const resumedMs = 1200 + pausedFrames * 50;
      expect(getPositionTicks(timeline, resumedMs)).to.equal(3);
      for (const [i, frame] of frames.slice(4).entries()) timeline.push(frame, resumedMs + 50 + i * 50);
      expect(getPositionTicks(timeline, resumedMs + 200)).to.be.closeTo(6, 0.01);
      expect(getPositionTicks(timeline, resumedMs + 225)).to.be.closeTo(6.5, 0.01);
    });
  }

  it("restarts when the server resumed from its last stored tick", () => {
    const timeline = new Timeline(50);
    const frames = createFrames(12);
    for (const [i, frame] of frames.entries()) timeline.push(frame, 1000 + i * 50);
    timeline.push(frames[5]!, 5000);
    expect(getPositionTicks(timeline, 5000)).to.equal(5);
  });

  it("resets its timing to frames that are more than 400 ms late", () => {
    for (const [lateMs, position] of [
      [400, 13],
      [401, 12],
    ] as const) {
      const timeline = new Timeline(50);
      for (const [i, frame] of createFrames(14).entries()) timeline.push(frame, 1000 + i * 50 + (i < 10 ? 0 : lateMs));
      expect(getPositionTicks(timeline, 1650 + lateMs), `${lateMs} ms`).to.be.closeTo(position, 0.01);
    }
  });

  it("bridges frames that were skipped", () => {
    const timeline = new Timeline(50);
    const frames = createFrames(9);
    timeline.push(frames[0]!, 1000);
    timeline.push(frames[8]!, 1400);
    expect(getPositionTicks(timeline, 1250)).to.be.closeTo(4, 0.01);
  });
});
