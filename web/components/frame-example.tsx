/** A frame as an agent gets it, from a run in the page, and the messages that it may answer with. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Game } from "../../games/game.ts";
import { GAME_LABELS } from "../labels/games.ts";
import { startDemoRun } from "../session/demo-run.ts";
import { prefersReducedMotion } from "./motion.ts";

const UPDATE_MS = 500;
const ENTITIES_MAX = 2;

export function FrameExample({ game }: { readonly game: Game }) {
  const run = useMemo(() => startDemoRun(game), [game]);
  const [isHeld, setHeld] = useState(prefersReducedMotion.value);
  const [text, setText] = useState("");
  useEffect(() => {
    const show = (): void => {
      const { entities, ...frame } = run.frame;
      setText(JSON.stringify({ ...frame, entities: entities.slice(0, ENTITIES_MAX) }, null, 2));
    };
    show();
    if (isHeld) return;
    const timer = setInterval(() => {
      if (document.hidden) return;
      run.advance(UPDATE_MS, true);
      show();
    }, UPDATE_MS);
    return () => clearInterval(timer);
  }, [run, isHeld]);
  const messages = game.inputs.map(({ message }) => JSON.stringify(message)).join("\n");
  return (
    <div class="frame-example">
      <div>
        <h3>{GAME_LABELS.actions}</h3>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by the keyboard */}
        <pre tabIndex={0}>{messages}</pre>
        <p>
          <a href="/skill.md">{GAME_LABELS.guide}</a>
        </p>
      </div>
      <div>
        <h3>
          {GAME_LABELS.frame}{" "}
          <button type="button" class="inline" onClick={() => setHeld(!isHeld)}>
            {isHeld ? GAME_LABELS.frameRun : GAME_LABELS.frameHold}
          </button>
        </h3>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by the keyboard */}
        <pre tabIndex={0}>{text}</pre>
      </div>
    </div>
  );
}
