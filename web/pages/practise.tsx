import { useEffect, useMemo } from "preact/hooks";
import type { Game } from "../../backend/games/game.ts";
import { Pixels } from "../parts/pixels.tsx";
import type { Controls } from "../practise/controls.ts";
import { hintSentence, keyWord, titleOf, touchSentence } from "../practise/grips.ts";
import { Practice } from "../practise/practice.ts";
import { TouchPad } from "../practise/touch-pad.tsx";
import { useControls } from "../practise/use-controls.ts";
import { EndCard } from "../stage/end-card.tsx";
import { Hud } from "../stage/hud.tsx";
import { Ladder } from "../stage/ladder.tsx";
import { startMidRun } from "../stage/local-run.ts";
import { Message } from "../stage/message.tsx";
import { Screen } from "../stage/screen.tsx";
import { Theatre } from "../stage/theatre.tsx";
import { Ticker } from "../stage/ticker.tsx";

export function PractisePage({ game }: { readonly game: Game }) {
  const practice = useMemo(() => new Practice(game), [game]);
  const controls = useControls(practice);
  useEffect(() => () => practice.leave(), [practice]);

  // Before the first run: a moment of one that the game's own bot plays.
  const opening = useMemo(() => startMidRun(game).sample(), [game]);

  const show = practice.show.value;
  const frame = show.frame.value;
  const { at } = practice.state.value;
  const isOn = at === "playing" || at === "reconnecting";
  return (
    <Theatre
      game={game}
      who="Practise"
      note={<p class="quiet">No wallet needed, nothing at stake.</p>}
      hud={<Hud frame={frame} audience={false} />}
      screen={
        <Screen
          game={game}
          moving={isOn}
          sample={(nowMs) => practice.show.value.timeline.sample(nowMs) ?? opening}
          label={`${game.title}, played by you`}
        >
          {isOn && <TouchPad controls={controls} />}
          <Overlay practice={practice} controls={controls} />
        </Screen>
      }
      desk={<Desk practice={practice} isOn={isOn} />}
      side={
        <>
          <Keys controls={controls} />
          <Ladder game={game} score={frame?.score.current ?? 0} />
          <Ticker entries={show.ticker.value} />
        </>
      }
    />
  );
}

function Desk({ practice, isOn }: { readonly practice: Practice; readonly isOn: boolean }) {
  const phase = practice.show.value.frame.value?.phase;
  return (
    <>
      <button
        type="button"
        class="button button-quiet"
        disabled={!isOn || phase === undefined || phase === "ready"}
        onClick={() => practice.togglePause()}
      >
        {phase === "paused" ? "Resume" : isOn ? `Pause (${practice.pausesLeft.value} left)` : "Pause"}
      </button>
      <button type="button" class="button button-quiet" disabled={!isOn} onClick={() => practice.command("exit")}>
        End run
      </button>
      <p class="notice-line" role="status">
        {practice.notice.value}
      </p>
    </>
  );
}

function KeyRow({ label, keys }: { readonly label: string; readonly keys: readonly string[] }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {keys.map((code) => (
          <kbd key={code}>{keyWord(code)}</kbd>
        ))}
      </dd>
    </div>
  );
}

function Keys({ controls }: { readonly controls: Controls }) {
  const held = controls.grips.filter(({ isHeld }) => isHeld);
  const acts = controls.grips.filter(({ isHeld }) => !isHeld);
  return (
    <section class="keys" aria-label="Keys">
      <h2>Keys</h2>
      <dl>
        {held.length > 0 && <KeyRow label="Steer" keys={held.flatMap(({ keys }) => keys)} />}
        {acts.map((grip) => (
          <KeyRow key={grip.word} label={titleOf(grip)} keys={grip.keys} />
        ))}
        <KeyRow label="Pause" keys={["KeyP"]} />
      </dl>
      <p class="quiet">{touchSentence(controls.grips)}</p>
    </section>
  );
}

function Overlay({ practice, controls }: { readonly practice: Practice; readonly controls: Controls }) {
  const state = practice.state.value;
  const phase = practice.show.value.frame.value?.phase;
  const start = (): void => void practice.play();
  switch (state.at) {
    case "idle":
      return (
        <Message title={practice.game.title} sentence={hintSentence(controls.grips)}>
          <button type="button" class="button" onClick={start}>
            Start
          </button>
        </Message>
      );
    case "starting":
      return <Message>Opening a session …</Message>;
    case "reconnecting":
      return <Message>The line was lost. Coming back …</Message>;
    case "failed":
      return (
        <Message title="That did not work" sentence={state.text}>
          <button type="button" class="button" onClick={start}>
            Try again
          </button>
        </Message>
      );
    case "ended": {
      const end = practice.end.value;
      return end === null ? null : (
        <EndCard score={end.score} endReason={end.endReason} sentence={OWN_WORDS[end.endReason]}>
          <button type="button" class="button" onClick={start}>
            Play again
          </button>
          <a class="button button-quiet" href="#/">
            Back to the arcade
          </a>
        </EndCard>
      );
    }
    case "playing":
      if (phase === "paused") {
        return (
          <Message title="Paused">
            <button type="button" class="button" onClick={() => practice.togglePause()}>
              Resume
            </button>
          </Message>
        );
      }
      return phase === "ready" || phase === undefined ? <Ready /> : null;
  }
}

const Ready = () => (
  <div class="overlay overlay-clear" role="status">
    <Pixels class="ready-word" text="Ready" />
  </div>
);

/** What a person is told of their own run, where it differs from what an audience reads. */
const OWN_WORDS: { readonly [reason: string]: string } = { exit: "You ended the run.", lives_lost: "No lives left." };
