import { useEffect, useMemo, useState } from "preact/hooks";
import type { Game } from "../../games/game.ts";
import { findGame } from "../../games/index.ts";
import { PixelText } from "../components/pixels.tsx";
import { formatPause, OWN_END_REASON_LABELS, PRACTICE_LABELS } from "../labels/practice.ts";
import { SESSION_LABELS } from "../labels/session.ts";
import { SHARED_LABELS } from "../labels/shared.ts";
import type { PageProps } from "../page-props.ts";
import type { Controls } from "../practice/controls.ts";
import { getBindingTitle, getControlsHint, getKeyLabel, getTouchHint } from "../practice/key-bindings.ts";
import { PracticeSession } from "../practice/practice-session.ts";
import type { Seat } from "../practice/seat.ts";
import { TouchPad } from "../practice/touch-pad.tsx";
import { useControls } from "../practice/use-controls.ts";
import { GameCanvas } from "../session/canvas.tsx";
import { startDemoRun } from "../session/demo-run.ts";
import { EndCard } from "../session/end-card.tsx";
import { EventLog } from "../session/event-log.tsx";
import { Hud } from "../session/hud.tsx";
import { Layout } from "../session/layout.tsx";
import { MessageCard } from "../session/message.tsx";
import { ReconnectingCard } from "../session/reconnecting.tsx";
import { TierList } from "../session/tier-list.tsx";
import { useTitle } from "../title.ts";
import { NotFoundPage } from "./not-found.tsx";

export function PracticePage({ params }: PageProps) {
  const game = findGame(params.game ?? "");
  useTitle(game === undefined ? null : `${PRACTICE_LABELS.title} ${game.title}`);
  return game === undefined ? <NotFoundPage /> : <Practice key={game.slug} game={game} />;
}

function Practice({ game }: { readonly game: Game }) {
  const practice = useMemo(() => new PracticeSession(game), [game]);
  const controls = useControls(practice);
  useEffect(() => () => practice.leave(), [practice]);

  // Before the first run: a frame of a run by the game's own bot.
  const previewSample = useMemo(() => startDemoRun(game).sample(), [game]);

  const sessionState = practice.sessionState.value;
  const frame = sessionState.frame.value;
  const { status } = practice.state.value;
  const isActive = status === "playing" || status === "reconnecting";
  return (
    <Layout
      game={game}
      heading={PRACTICE_LABELS.title}
      note={<p class="quiet">{PRACTICE_LABELS.note}</p>}
      hud={<Hud frame={frame} showSpectators={false} />}
      canvas={
        <GameCanvas
          game={game}
          isAnimated={isActive}
          sample={(nowMs) => practice.sample(nowMs) ?? previewSample}
          label={`${game.title}, ${PRACTICE_LABELS.playedByYou}`}
        >
          {isActive && <TouchPad controls={controls} />}
          <Overlay practice={practice} controls={controls} />
        </GameCanvas>
      }
      toolbar={<Toolbar practice={practice} isActive={isActive} />}
      sidebar={
        <>
          <KeyHelp controls={controls} />
          <TierList game={game} score={frame?.score.current ?? 0} />
          <EventLog entries={sessionState.eventLog.value} />
        </>
      }
    />
  );
}

function Toolbar({ practice, isActive }: { readonly practice: PracticeSession; readonly isActive: boolean }) {
  const phase = practice.sessionState.value.frame.value?.phase;
  return (
    <>
      <button
        type="button"
        class="button button-quiet"
        disabled={!isActive || phase === undefined || phase === "ready"}
        onClick={() => practice.togglePause()}
      >
        {phase === "paused" ? PRACTICE_LABELS.resume : formatPause(isActive ? practice.pausesLeft.value : null)}
      </button>
      <button
        type="button"
        class="button button-quiet"
        disabled={!isActive}
        onClick={() => practice.sendCommand("exit")}
      >
        {PRACTICE_LABELS.endRun}
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
          <kbd key={code}>{getKeyLabel(code)}</kbd>
        ))}
      </dd>
    </div>
  );
}

function KeyHelp({ controls }: { readonly controls: Controls }) {
  const heldBindings = controls.bindings.filter(({ isHeld }) => isHeld);
  const actionBindings = controls.bindings.filter(({ isHeld }) => !isHeld);
  return (
    <section class="keys" aria-label={PRACTICE_LABELS.keys}>
      <h2>{PRACTICE_LABELS.keys}</h2>
      <dl>
        {heldBindings.length > 0 && (
          <KeyRow label={PRACTICE_LABELS.steer} keys={heldBindings.flatMap(({ keys }) => keys)} />
        )}
        {actionBindings.map((binding) => (
          <KeyRow key={binding.name} label={getBindingTitle(binding)} keys={binding.keys} />
        ))}
        <KeyRow label={PRACTICE_LABELS.pause} keys={["KeyP"]} />
      </dl>
      <p class="quiet">{getTouchHint(controls.bindings)}</p>
    </section>
  );
}

function Overlay({ practice, controls }: { readonly practice: PracticeSession; readonly controls: Controls }) {
  const state = practice.state.value;
  const phase = practice.sessionState.value.frame.value?.phase;
  const start = (): void => void practice.play();
  switch (state.status) {
    case "idle":
      return (
        <MessageCard title={practice.game.title} text={getControlsHint(controls.bindings)}>
          <StartButtons practice={practice} />
        </MessageCard>
      );
    case "starting":
      return <MessageCard>{PRACTICE_LABELS.opening}</MessageCard>;
    case "reconnecting":
      return <ReconnectingCard />;
    case "failed":
      return (
        <MessageCard title={SHARED_LABELS.failedTitle} text={state.text}>
          <button type="button" class="button" onClick={start}>
            {SHARED_LABELS.tryAgain}
          </button>
        </MessageCard>
      );
    case "ended": {
      const end = practice.end.value;
      return end === null ? null : (
        <EndCard score={end.score} endReason={end.endReason} message={OWN_END_REASON_LABELS[end.endReason]}>
          <button type="button" class="button" onClick={start}>
            {PRACTICE_LABELS.playAgain}
          </button>
          <a class="button button-quiet" href="/">
            {SESSION_LABELS.backHome}
          </a>
        </EndCard>
      );
    }
    case "playing":
      if (phase === "paused") {
        return (
          <MessageCard title={PRACTICE_LABELS.paused}>
            <button type="button" class="button" onClick={() => practice.togglePause()}>
              {PRACTICE_LABELS.resume}
            </button>
          </MessageCard>
        );
      }
      return phase === "ready" || phase === undefined ? <ReadyOverlay /> : null;
  }
}

function StartButtons({ practice }: { readonly practice: PracticeSession }) {
  const [interrupted, setInterrupted] = useState<Seat | null>(null);
  // In an effect, since the server rendered the first view without it.
  useEffect(() => setInterrupted(practice.findInterrupted()), [practice]);
  return (
    <>
      {interrupted !== null && (
        <button type="button" class="button" onClick={() => void practice.play(interrupted)}>
          {PRACTICE_LABELS.resumeRun}
        </button>
      )}
      <button
        type="button"
        class={interrupted === null ? "button" : "button button-quiet"}
        onClick={() => void practice.play()}
      >
        {interrupted === null ? PRACTICE_LABELS.start : PRACTICE_LABELS.startNew}
      </button>
    </>
  );
}

const ReadyOverlay = () => (
  <div class="overlay overlay-clear" role="status">
    <PixelText class="ready-word" text={PRACTICE_LABELS.ready} />
  </div>
);
