/** The steps of an agent, each with its button, and the picture of the run while the page's agent plays. */
import { findGame, games } from "../../games/index.ts";
import { FailureNote } from "../components/failure-note.tsx";
import { TxLink } from "../components/tx-link.tsx";
import { ACCOUNT_LABELS, STEP_LABELS, STEP_STATUS_LABELS, STEPS, type StepName } from "../labels/account.ts";
import { GameCanvas } from "../session/canvas.tsx";
import { Hud } from "../session/hud.tsx";
import { isSponsored } from "../wallet/sponsorship.ts";
import type { AgentSteps, StepState } from "./agent-steps.ts";

export function StepList({ steps }: { readonly steps: AgentSteps }) {
  return (
    <section class="section" aria-labelledby="steps-title">
      <h2 id="steps-title">{ACCOUNT_LABELS.steps}</h2>
      <GameChoice steps={steps} />
      <ol class="agent-steps">
        {STEPS.map((step) => (
          <Step key={step} steps={steps} step={step} />
        ))}
      </ol>
      <LiveRun steps={steps} />
    </section>
  );
}

const GameChoice = ({ steps }: { readonly steps: AgentSteps }) => (
  <fieldset class="choice" disabled={steps.running.value !== null}>
    <legend class="visually-hidden">{ACCOUNT_LABELS.game}</legend>
    {games.map(({ slug, title }) => (
      <label key={slug}>
        <input
          type="radio"
          name="game"
          value={slug}
          checked={steps.slug.value === slug}
          onChange={() => {
            steps.slug.value = slug;
          }}
        />
        {title}
      </label>
    ))}
  </fieldset>
);

const getStatus = (state: StepState): keyof typeof STEP_STATUS_LABELS =>
  state.status === "done" && state.result.isNothing === true ? "nothing" : state.status;

function Step({ steps, step }: { readonly steps: AgentSteps; readonly step: StepName }) {
  const state = steps.states[step].value;
  const status = getStatus(state);
  const { title, intro, action } = STEP_LABELS[step];
  const isNext = steps.next.value === step;
  return (
    <li class={`agent-step agent-step-${status}`} data-step={step} data-status={status}>
      <h3>{title}</h3>
      <span class="step-status">{STEP_STATUS_LABELS[status]}</span>
      <p>{state.status === "done" ? state.result.text : intro}</p>
      {state.status === "done" && <TxLink txHash={state.result.txHash} />}
      {state.status === "failed" && <FailureNote failure={state.failure} />}
      <span class="actions">
        <button
          type="button"
          class={isNext ? "button" : "button button-quiet"}
          // Not `disabled`: the button would lose the focus, to which the signing dialog returns it.
          aria-disabled={steps.running.value !== null}
          onClick={() => void steps.run(step)}
        >
          {action}
        </button>
        {step === "gas" && steps.canBeSponsored.value && <SponsorButton steps={steps} />}
      </span>
    </li>
  );
}

const SponsorButton = ({ steps }: { readonly steps: AgentSteps }) => (
  <button
    type="button"
    class="button button-quiet"
    aria-disabled={steps.running.value !== null || isSponsored.value}
    onClick={() => void steps.letServicePay()}
  >
    {ACCOUNT_LABELS.letServicePay}
  </button>
);

function LiveRun({ steps }: { readonly steps: AgentSteps }) {
  const session = steps.session.value;
  const game = findGame(steps.slug.value);
  if (session === null || game === undefined || steps.running.value !== "play") return null;
  const { width, height } = game.world;
  return (
    <section
      class={`agent-run ${height > width ? "agent-run-tall" : ""}`}
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
