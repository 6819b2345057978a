import { expect } from "chai";
import fc from "fast-check";
import { SESSION_TIMES } from "../../domain/session.ts";
import { everyThird, Play, TICK_HZ } from "../helpers/transcript-play.ts";

const BOUND_TICKS = SESSION_TIMES.rewindSeconds * TICK_HZ;
const SLUGS = ["shellrunners", "flappybots"];

describe("the transcript of a session whose service was killed", () => {
  it("agrees with the replay, and reports how far the service went back", () => {
    const play = new Play();
    play.advance(60, everyThird);
    play.kill(47);
    play.advance(60, (tick) => everyThird(tick + 1));
    expect(play.compare()).to.deep.equal([]);
    const [rewind, ...more] = play.recorder.getTranscript().rewinds!;
    expect(rewind).to.include({ fromTick: 60, toTick: 47, sent: 20 });
    expect(more).to.deep.equal([]);
  });

  it("agrees wherever the service goes back to within the bound, and however often", () => {
    const life = fc.record({
      ticks: fc.integer({ min: 0, max: 70 }),
      skipped: fc.integer({ min: 0, max: 3 }),
      back: fc.integer({ min: 0, max: BOUND_TICKS }),
      sentAtTheEnd: fc.integer({ min: 0, max: 2 }),
      offset: fc.integer({ min: 0, max: 2 }),
    });
    fc.assert(
      fc.property(fc.constantFrom(...SLUGS), fc.array(life, { minLength: 1, maxLength: 4 }), (slug, lives) => {
        const play = new Play(slug);
        let stored = 0;
        let newest = 0;
        for (const { ticks, skipped, back, sentAtTheEnd, offset } of lives) {
          play.advance(ticks, (tick) => everyThird(tick + offset));
          newest = Math.max(newest, play.tick);
          play.advance(skipped, everyThird, true);
          for (let sent = 0; sent < sentAtTheEnd; sent++) play.send(sent, { isLost: true });
          stored = Math.min(play.tick, Math.max(stored, newest - back));
          play.kill(stored);
        }
        play.advance(10, everyThird);
        expect(play.compare()).to.deep.equal([]);
      }),
      { numRuns: 60 },
    );
  });

  it("agrees when the lost moment was a command in a pause", () => {
    const play = new Play();
    play.advance(20, everyThird);
    play.command("pause");
    play.kill(20);
    play.advance(20, everyThird);
    expect(play.compare()).to.deep.equal([]);
    expect(play.recorder.getTranscript().rewinds).to.have.length(1);
  });

  it("differs from the replay when the service went back further than the bound", () => {
    for (const [back, differs] of [
      [BOUND_TICKS, false],
      [BOUND_TICKS + 1, true],
    ] as const) {
      const play = new Play();
      play.advance(100, everyThird);
      play.kill(100 - back);
      play.advance(25, (tick) => everyThird(tick + 1));
      expect(play.compare().length > 0, `${back} ticks`).to.equal(differs);
    }
  });

  it("differs when the service goes back in small steps, further than the bound in all", () => {
    const play = new Play();
    play.advance(100, everyThird);
    for (const tick of [80, 60, 50]) play.kill(tick);
    play.advance(25, (tick) => everyThird(tick + 1));
    expect(play.compare()).to.not.deep.equal([]);
  });

  it("differs when the service changes an input from before the moment to which it went back", () => {
    const play = new Play();
    play.advance(60, everyThird);
    const stored = play.inputs.filter(([tick]) => tick <= 50);
    play.kill(50, stored.toSpliced(3, 1));
    play.advance(20, everyThird);
    expect(play.compare()).to.not.deep.equal([]);
  });

  it("reports an input after that moment that is left out, moved or exchanged", () => {
    const play = new Play();
    play.advance(60, everyThird);
    play.kill(50);
    play.advance(30, everyThird);
    const { inputs } = play;
    const last = inputs.length - 1;
    const [tick, code] = inputs[last]!;
    expect(tick).to.be.greaterThan(60);
    for (const changed of [inputs.toSpliced(last, 1), inputs.with(last, [tick - 1, code])])
      expect(play.compare(changed).join()).to.include("transcript.inputs");
  });

  it("reports an input sent after that moment that the service acknowledges without recording it", () => {
    const play = new Play();
    play.advance(60, everyThird);
    play.kill(50);
    play.advance(5);
    const [, held] = play.inputs.at(-1)!;
    play.send(held + 1, { isLost: true });
    const { marks, sent } = play.recorder.getTranscript();
    const { inputsDigest } = marks.at(-1)!;
    play.recorder.onFrame({ tick: play.tick + 1, inputsDigest, ackSeq: sent.at(-1)!.seq });
    expect(play.compare()).to.deep.equal([`transcript.inputs at tick ${play.tick + 1}`]);
  });
});
