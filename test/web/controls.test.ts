import { expect } from "chai";
import { findGame } from "../../backend/games/index.ts";
import { Controls } from "../../web/practise/controls.ts";

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
    controls.press({ kind: "act" });
    expect(sent).to.deep.equal(["FLAP", "FLAP", "FLAP"]);
  });

  it("leaves the keys that are not the game's to the page", () => {
    expect(controlsOf("flappybots").controls.keyDown("ArrowLeft", false)).to.equal(false);
    expect(controlsOf("shellrunners").controls.keyDown("Space", false)).to.equal(false);
    expect(controlsOf("shellrunners").controls.keyDown("Tab", false)).to.equal(false);
  });
});
