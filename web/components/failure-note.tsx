import type { StepFailure } from "../account/step-failure.ts";
import { FAILURE_LABELS } from "../labels/account.ts";

/** What went wrong, what to do, and the request's id, which an operator can look up. */
export const FailureNote = ({ failure: { message, next, requestId } }: { readonly failure: StepFailure }) => (
  <span class="failure" role="alert">
    {message}
    {next !== null && ` ${next}`}
    {requestId !== null && (
      <small>
        {`${FAILURE_LABELS.requestId} `}
        <code>{requestId}</code>
      </small>
    )}
  </span>
);
