/** What a page or a part of it shows while it has no content. */
import type { ComponentChildren } from "preact";
import { SHARED_LABELS } from "../labels/shared.ts";

export const LoadingState = ({ text = SHARED_LABELS.loading }: { readonly text?: string }) => (
  <p class="state state-loading" role="status">
    {text}
  </p>
);

export const EmptyState = ({ children }: { readonly children: ComponentChildren }) => (
  <p class="state quiet">{children}</p>
);

interface ErrorStateProps {
  readonly title?: string;
  readonly text: string;
  /** Absent if a retry cannot help. */
  readonly onRetry?: () => void;
}

export const ErrorState = ({ title = SHARED_LABELS.failedTitle, text, onRetry }: ErrorStateProps) => (
  <div class="state notice" role="alert">
    <b>{title}</b>
    <p>{text}</p>
    {onRetry !== undefined && (
      <button type="button" class="button button-quiet" onClick={onRetry}>
        {SHARED_LABELS.tryAgain}
      </button>
    )}
  </div>
);
