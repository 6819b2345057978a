/** Draining the service before it is stopped. */
import { useSignal } from "@preact/signals";
import { ActionButton } from "../components/action-button.tsx";
import { Load } from "../components/load.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { CONSOLE_LABELS } from "../labels/console.ts";
import { client } from "../wallet/service.ts";
import { asOperator } from "./console-store.ts";

const POLL_MS = 3000;

/** Below the facts: it changes the service. */
export function Drain() {
  const loaded = useLoaded(null, (signal) => client.console.draining({}, asOperator(signal)), [], POLL_MS);
  return (
    <section class="section" aria-labelledby="drain-title">
      <h2 id="drain-title">{CONSOLE_LABELS.drainTitle}</h2>
      <Load loaded={loaded}>{({ draining }) => <DrainForm draining={draining} onChanged={loaded.reload} />}</Load>
    </section>
  );
}

interface DrainFormProps {
  readonly draining: boolean;
  readonly onChanged: () => void;
}

function DrainForm({ draining, onChanged }: DrainFormProps) {
  const reason = useSignal("");
  return (
    <div class="form form-row drain">
      <label>
        {CONSOLE_LABELS.reason}
        <input
          type="text"
          maxLength={200}
          placeholder={CONSOLE_LABELS.reasonHelp}
          value={reason.value}
          onInput={({ currentTarget }) => {
            reason.value = currentTarget.value;
          }}
        />
      </label>
      <ActionButton
        label={draining ? CONSOLE_LABELS.resume : CONSOLE_LABELS.drain}
        isQuiet={!draining}
        isDisabled={reason.value.trim() === ""}
        onClick={async () => {
          await client.console.drain({ draining: !draining, reason: reason.value.trim() }, asOperator());
          reason.value = "";
          onChanged();
        }}
      />
      <p class="quiet">{CONSOLE_LABELS.drainText}</p>
    </div>
  );
}
