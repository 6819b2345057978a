/** A text to copy, whole and selectable, with a button that copies it. */
import { useState } from "preact/hooks";
import { SHARED_LABELS } from "../labels/shared.ts";

export function CopyText({ text, label }: { readonly text: string; readonly label: string }) {
  const [state, setState] = useState<string>(SHARED_LABELS.copy);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setState(SHARED_LABELS.copied),
      () => setState(SHARED_LABELS.copyByHand),
    );
  };
  return (
    <span class="copy-text">
      <code>{text}</code>
      <button type="button" class="inline" aria-label={`${SHARED_LABELS.copy}: ${label}`} onClick={copy}>
        {state}
      </button>
    </span>
  );
}
