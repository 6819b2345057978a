/** The full, selectable text, with a button that copies it. */
import { useState } from "preact/hooks";
import { SHARED_LABELS } from "../labels/shared.ts";

interface CopyTextProps {
  readonly text: string;
  readonly label: string;
  /** The link's address, if the text is a link. */
  readonly href?: string | undefined;
}

export function CopyText({ text, label, href }: CopyTextProps) {
  const [state, setState] = useState<string>(SHARED_LABELS.copy);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setState(SHARED_LABELS.copied);
    } catch {
      setState(SHARED_LABELS.copyByHand);
    }
  };
  return (
    <span class="copy-text">
      <code>{href === undefined ? text : <a href={href}>{text}</a>}</code>
      <button type="button" class="inline" aria-label={`${SHARED_LABELS.copy}: ${label}`} onClick={() => void copy()}>
        {state}
      </button>
    </span>
  );
}
