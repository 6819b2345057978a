/** The steps of an agent's life, each with its button, and the picture of the run while the page's agent plays. */
import { findGame, games } from "../../games/index.ts";
import { FailureNote } from "../components/failure-note.tsx";
import { TxLink } from "../components/tx-link.tsx";
import { ACCOUNT_LABELS, LIFE_STEPS, type LifeStep, STEP_LABELS, STEP_STATUS_LABELS } from "../labels/account.ts";
import { GameCanvas } from "../session/canvas.tsx";
import { Hud } from "../session/hud.tsx";
import { isSponsored } from "../wallet/sponsorship.ts";
import type { Life, StepState } from "./life.ts";

export function LifeSteps({ life }: { readonly life: Life }) {
  return (
    <section class="section life" aria-labelledby="life-title">
      <h2 id="life-title">{ACCOUNT_LABELS.life}</h2>
      <GameChoice life={life} />
      <ol class="life-steps">
        {LIFE_STEPS.map((step) => (
          <Step key={step} life={life} step={step} />
        ))}
      </ol>
      <LiveRun life={life} />
    </section>
  );
}

const GameChoice = ({ life }: { readonly life: Life }) => (
  <fieldset class="choice" disabled={life.running.value !== null}>
    <legend class="visually-hidden">{ACCOUNT_LABELS.game}</legend>
    {games.map(({ slug, title }) => (
      <label key={slug}>
        <input
          type="radio"
          name="game"
          value={slug}
          checked={life.slug.value === slug}
          onChange={() => {
            life.slug.value = slug;
          }}
        />
        {title}
      </label>
    ))}
  </fieldset>
);

const getStatus = (state: StepState): keyof typeof STEP_STATUS_LABELS =>
  state.status === "done" && state.result.isNothing === true ? "nothing" : state.status;

function Step({ life, step }: { readonly life: Life; readonly step: LifeStep }) {
  const state = life.states[step].value;
  const status = getStatus(state);
  const { title, intro, action } = STEP_LABELS[step];
  const isNext = life.next.value === step;
  return (
    <li class={`life-step life-step-${status}`} data-step={step} data-status={status}>
      <h3>{title}</h3>
      <span class="life-status">{STEP_STATUS_LABELS[status]}</span>
      <p>{state.status === "done" ? state.result.text : intro}</p>
      {state.status === "done" && <TxLink txHash={state.result.txHash} />}
      {state.status === "failed" && <FailureNote failure={state.failure} />}
      <span class="actions">
        <button
          type="button"
          class={isNext ? "button" : "button button-quiet"}
          disabled={life.running.value !== null}
          onClick={() => void life.run(step)}
        >
          {action}
        </button>
        {step === "gas" && life.canBeSponsored.value && <SponsorButton life={life} />}
      </span>
    </li>
  );
}

const SponsorButton = ({ life }: { readonly life: Life }) => (
  <button
    type="button"
    class="button button-quiet"
    disabled={life.running.value !== null || isSponsored.value}
    onClick={() => void life.letServicePay()}
  >
    {ACCOUNT_LABELS.letServicePay}
  </button>
);

function LiveRun({ life }: { readonly life: Life }) {
  const session = life.session.value;
  const game = findGame(life.slug.value);
  if (session === null || game === undefined || life.running.value !== "play") return null;
  const { width, height } = game.world;
  return (
    <section
      class={`life-run ${height > width ? "life-run-tall" : ""}`}
      aria-label={ACCOUNT_LABELS.liveTitle}
      style={{ "--world-width": String(width), "--world-height": String(height) }}
    >
      <Hud frame={session.frame.value} showSpectators />
      <div class="bezel">
        <GameCanvas game={game} isAnimated sample={(nowMs) => session.timeline.sample(nowMs)} label={game.title} />
      </div>
    </section>
  );
}
