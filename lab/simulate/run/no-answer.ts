/** The connection broke, or no answer came: the agent cannot know what happened. */
export class NoAnswer extends Error {}

/** The fields of an error that callers read, as in `ArcadeApiError`. Without an answer there is no code. */
export interface Refusal {
  readonly code?: string;
  readonly fields?: { readonly sessionId?: string; readonly [field: string]: unknown };
}
