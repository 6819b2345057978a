import { expect } from "chai";
import { Controls } from "../../web/practise/controls.ts";
import { gripAt, hintSentence, touchSentence } from "../../web/practise/grips.ts";
import { findGame } from "../fixtures/games.ts";

const controlsOf = (slug: string) => {
  const sent: string[] = [];
  const controls = new Controls(findGame(slug)!, (message) =>
    sent.push(message.t === "input" ? message.dir : message.action),
  );
  return { controls, sent };
};

describe("the controls of practice", () => {
  it("sends a direction when it changes and none when everything is let go", () => {
    const { controls, sent } = controlsOf("shellrunners");
    expect(controls.keyDown("ArrowLeft", false)).to.equal(true);
    controls.keyDown("ArrowLeft", true);
    controls.keyDown("KeyD", false);
    controls.keyUp("KeyD");
    controls.keyUp("ArrowLeft");
    controls.keyUp("ArrowLeft");
    expect(sent).to.deep.equal(["left", "right", "left", "none"]);
  });

  it("lets go of everything when the page loses the keyboard", () => {
    const { controls, sent } = controlsOf("shellrunners");
    controls.keyDown("KeyA", false);
    controls.releaseAll();
    controls.releaseAll();
    expect(sent).to.deep.equal(["left", "none"]);
  });

  it("flaps once for each press, not for the keyboard's repeats", () => {
    const { controls, sent } = controlsOf("flappybots");
    for (const isRepeat of [false, true, true]) expect(controls.keyDown("Space", isRepeat)).to.equal(true);
    controls.keyUp("Space");
    controls.keyDown("ArrowUp", false);
    controls.press(gripAt(controls.grips, 0.1, 0.9)!);
    expect(sent).to.deep.equal(["FLAP", "FLAP", "FLAP"]);
  });

  it("steers by either half of the picture", () => {
    const { controls, sent } = controlsOf("shellrunners");
    const left = gripAt(controls.grips, 0.4, 0.9)!;
    const right = gripAt(controls.grips, 0.6, 0.1)!;
    controls.press(left);
    controls.press(right);
    controls.release(right);
    controls.release(left);
    expect(sent).to.deep.equal(["left", "right", "left", "none"]);
  });

  it("reaches every action of a game it was not made for, by keys and by fingers, and says how", () => {
    const { controls, sent } = controlsOf("lanternlanes");
    for (const code of ["ArrowUp", "KeyS"]) expect(controls.keyDown(code, false)).to.equal(true);
    controls.keyUp("KeyS");
    for (const y of [0.2, 0.8]) controls.press(gripAt(controls.grips, 0.5, y)!);
    expect(sent).to.deep.equal(["UP", "DOWN", "UP", "DOWN"]);
    expect(touchSentence(controls.grips)).to.equal("Touch: tap the upper or the lower half.");
    expect(hintSentence(controls.grips)).to.match(/W and S/);
    const inputs = ["JUMP", "DUCK"].map((action, index) => {
      return { code: index + 1, message: { t: "action", action } as const, mode: "once" } as const;
    });
    const keys = new Controls({ inputs }, () => {}).grips.map((grip) => grip.keys);
    expect(keys).to.deep.equal([["Space", "ArrowUp", "KeyW"], ["KeyE"]]);
  });

  it("leaves the keys that are not the game's to the page", () => {
    expect(controlsOf("flappybots").controls.keyDown("ArrowLeft", false)).to.equal(false);
    expect(controlsOf("shellrunners").controls.keyDown("Space", false)).to.equal(false);
    expect(controlsOf("shellrunners").controls.keyDown("Tab", false)).to.equal(false);
  });
});
