/** A button with a longer task: it shows progress and errors. */
import { useSignal } from "@preact/signals";
import { toStepFailure } from "../account/step-failure.ts";
import { FailureNote } from "./failure-note.tsx";

interface ActionButtonProps {
  readonly label: string;
  readonly isQuiet?: boolean;
  readonly isDisabled?: boolean;
  /** Its purpose, if other buttons have the same label. */
  readonly description?: string;
  readonly onClick: () => Promise<unknown>;
}

export function ActionButton({ label, isQuiet = false, isDisabled = false, description, onClick }: ActionButtonProps) {
  const isBusy = useSignal(false);
  const failure = useSignal<ReturnType<typeof toStepFailure> | null>(null);
  const run = async (): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    failure.value = null;
    try {
      await onClick();
    } catch (error) {
      failure.value = toStepFailure(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <span class="action">
      <button
        type="button"
        class={isQuiet ? "button button-quiet" : "button"}
        disabled={isDisabled}
        // Not `disabled`: the button would lose the focus, to which the signing dialog returns it.
        aria-disabled={isBusy.value}
        aria-busy={isBusy.value}
        {...(description === undefined ? {} : { "aria-label": `${label}: ${description}` })}
        onClick={() => void run()}
      >
        {label}
      </button>
      {failure.value !== null && <FailureNote failure={failure.value} />}
    </span>
  );
}
