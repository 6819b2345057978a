import { expect } from "chai";
import { Controls } from "../../web/practice/controls.ts";
import { findBindingAt, getControlsHint, getTouchHint } from "../../web/practice/key-bindings.ts";
import { findGame } from "../fixtures/games.ts";

const createControls = (slug: string) => {
  const sent: string[] = [];
  const controls = new Controls(findGame(slug)!, (message) =>
    sent.push(message.t === "input" ? message.dir : message.action),
  );
  return { controls, sent };
};

describe("the controls of practice", () => {
  it("send a direction when it changes and none when every key is released", () => {
    const { controls, sent } = createControls("shellrunners");
    expect(controls.keyDown("ArrowLeft", false)).to.equal(true);
    controls.keyDown("ArrowLeft", true);
    controls.keyDown("KeyD", false);
    controls.keyUp("KeyD");
    controls.keyUp("ArrowLeft");
    controls.keyUp("ArrowLeft");
    expect(sent).to.deep.equal(["left", "right", "left", "none"]);
  });

  it("release every key when the page loses the focus", () => {
    const { controls, sent } = createControls("shellrunners");
    controls.keyDown("KeyA", false);
    controls.releaseAll();
    controls.releaseAll();
    expect(sent).to.deep.equal(["left", "none"]);
  });

  it("flap once for each press, not for the keyboard's repeats", () => {
    const { controls, sent } = createControls("flappybots");
    for (const isRepeat of [false, true, true]) expect(controls.keyDown("Space", isRepeat)).to.equal(true);
    controls.keyUp("Space");
    controls.keyDown("ArrowUp", false);
    controls.press(findBindingAt(controls.bindings, 0.1, 0.9)!);
    expect(sent).to.deep.equal(["FLAP", "FLAP", "FLAP"]);
  });

  it("steer by either half of the picture", () => {
    const { controls, sent } = createControls("shellrunners");
    const left = findBindingAt(controls.bindings, 0.4, 0.9)!;
    const right = findBindingAt(controls.bindings, 0.6, 0.1)!;
    controls.press(left);
    controls.press(right);
    controls.release(right);
    controls.release(left);
    expect(sent).to.deep.equal(["left", "right", "left", "none"]);
  });

  it("reach every action of a new game with keys and touch, with labels", () => {
    const { controls, sent } = createControls("lanternlanes");
    for (const code of ["ArrowUp", "KeyS"]) expect(controls.keyDown(code, false)).to.equal(true);
    controls.keyUp("KeyS");
    for (const y of [0.2, 0.8]) controls.press(findBindingAt(controls.bindings, 0.5, y)!);
    expect(sent).to.deep.equal(["UP", "DOWN", "UP", "DOWN"]);
    expect(getTouchHint(controls.bindings)).to.equal("Touch: tap the upper or the lower half.");
    expect(getControlsHint(controls.bindings)).to.match(/W and S/);
    const inputs = ["JUMP", "DUCK"].map((action, index) => {
      return { code: index + 1, message: { t: "action", action } as const, mode: "once" } as const;
    });
    const keys = new Controls({ inputs }, () => {}).bindings.map((binding) => binding.keys);
    expect(keys).to.deep.equal([["Space", "ArrowUp", "KeyW"], ["KeyE"]]);
  });

  it("steer in four directions by touch near each edge, and explain it", () => {
    const inputs = ["left", "right", "up", "down"].map((dir, index) => {
      return { code: index + 1, message: { t: "input", dir } as const, mode: "held" } as const;
    });
    const { bindings } = new Controls({ inputs }, () => {});
    const touched = [
      [0.1, 0.5],
      [0.9, 0.4],
      [0.5, 0.1],
      [0.6, 0.95],
    ].map(([x, y]) => findBindingAt(bindings, x!, y!)?.name);
    expect(touched).to.deep.equal(["left", "right", "up", "down"]);
    expect(getControlsHint(bindings)).to.include("W, A, S and D").and.not.include("half");
    expect(getTouchHint(bindings)).to.equal("Touch: hold near an edge to move there.");
  });

  it("leave other keys to the page", () => {
    expect(createControls("flappybots").controls.keyDown("ArrowLeft", false)).to.equal(false);
    expect(createControls("shellrunners").controls.keyDown("Space", false)).to.equal(false);
    expect(createControls("shellrunners").controls.keyDown("Tab", false)).to.equal(false);
  });
});
