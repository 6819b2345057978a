/** Changes of sessions by the operator. Each requires a reason, which the audit log keeps. */
import { useSignal } from "@preact/signals";
import type { Answer } from "../../client/api.ts";
import { ActionButton } from "../components/action-button.tsx";
import { CONSOLE_LABELS } from "../labels/console.ts";
import { formatDateTime } from "../labels/shared.ts";
import { client } from "../wallet/service.ts";
import { asOperator } from "./console-store.ts";

type Outcome = Answer<"console.sessionAction">;

const OutcomeNote = ({ outcome: { outcome, signedUntil } }: { readonly outcome: Outcome }) => (
  <span role="status">
    {CONSOLE_LABELS.outcome(outcome)}
    {signedUntil !== null && ` ${CONSOLE_LABELS.signedUntil(formatDateTime(signedUntil))}`}
  </span>
);

export function EndSession({ sessionId }: { readonly sessionId: string }) {
  const outcome = useSignal<Outcome | null>(null);
  if (outcome.value !== null) return <OutcomeNote outcome={outcome.value} />;
  return (
    <ActionButton
      label={CONSOLE_LABELS.end}
      description={sessionId}
      isQuiet
      onClick={async () => {
        const change = { sessionId, action: "end", reason: "ended in the console" } as const;
        outcome.value = await client.console.sessionAction(change, asOperator());
      }}
    />
  );
}

export function TakeScoreBack() {
  const sessionId = useSignal("");
  const reason = useSignal("");
  const outcome = useSignal<Outcome | null>(null);
  const isComplete = sessionId.value.trim() !== "" && reason.value.trim() !== "";
  const change = (action: "withhold" | "forfeit") => async (): Promise<void> => {
    outcome.value = null;
    outcome.value = await client.console.sessionAction(
      { sessionId: sessionId.value.trim(), action, reason: reason.value.trim() },
      asOperator(),
    );
  };
  return (
    <div class="form form-row">
      <label>
        {CONSOLE_LABELS.withheldFor}
        <input
          type="text"
          value={sessionId.value}
          onInput={({ currentTarget }) => {
            sessionId.value = currentTarget.value;
          }}
        />
      </label>
      <label>
        {CONSOLE_LABELS.reason}
        <input
          type="text"
          maxLength={200}
          value={reason.value}
          onInput={({ currentTarget }) => {
            reason.value = currentTarget.value;
          }}
        />
      </label>
      <ActionButton label={CONSOLE_LABELS.withhold} isQuiet isDisabled={!isComplete} onClick={change("withhold")} />
      <ActionButton label={CONSOLE_LABELS.forfeit} isQuiet isDisabled={!isComplete} onClick={change("forfeit")} />
      {outcome.value !== null && <OutcomeNote outcome={outcome.value} />}
    </div>
  );
}
