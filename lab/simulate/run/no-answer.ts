/** The connection broke, or no answer came: the agent cannot know what happened. */
export class NoAnswer extends Error {}

/** What a caller reads of an error: as `ArcadeApiError` has it; without a code if no answer came. */
export interface Refusal {
  readonly code?: string;
  readonly fields?: { readonly sessionId?: string };
}
