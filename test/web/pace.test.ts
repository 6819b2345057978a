import { expect } from "chai";
import { Pace } from "../../web/session/frame-loop.ts";

const WINDOW = 10;
const note = (pace: Pace, frames: number, workMs: number, gapMs = 17): void => {
  for (let frame = 0; frame < frames; frame += 1) pace.note(workMs, gapMs);
};

describe("the pace of a moving picture", () => {
  const full = new Pace().level;

  it("starts with all pixels and frames, and keeps them while frames are on time", () => {
    const pace = new Pace();
    note(pace, 10 * WINDOW, 7);
    // A phone that saves power shows 30 frames a second.
    note(pace, 10 * WINDOW, 1, 33);
    expect(pace.level).to.deep.equal(full);
    expect(full).to.deep.equal({ pixelRatioMax: 2, gapMs: 0 });
  });

  it("reduces pixels, then frames, on a device on which frames take too long", () => {
    const pace = new Pace();
    note(pace, WINDOW, 20);
    expect(pace.level).to.deep.equal({ pixelRatioMax: 1, gapMs: 0 });
    note(pace, 10 * WINDOW, 20);
    expect(pace.level).to.deep.equal({ pixelRatioMax: 1, gapMs: 30 });
  });

  it("also reduces them if the page has time but the display waits", () => {
    const pace = new Pace();
    note(pace, WINDOW, 1, 60);
    expect(pace.level).to.not.deep.equal(full);
  });

  it("tolerates a few slow frames, and restores everything when frames are cheap", () => {
    const pace = new Pace();
    note(pace, 4, 100);
    note(pace, WINDOW - 4, 5);
    expect(pace.level).to.deep.equal(full);
    note(pace, 2 * WINDOW, 20);
    // Enough time for this, but not for four times the pixels.
    note(pace, 10 * WINDOW, 4);
    expect(pace.level).to.deep.equal({ pixelRatioMax: 1, gapMs: 30 });
    note(pace, 2 * WINDOW, 1);
    expect(pace.level).to.deep.equal(full);
  });
});
