/** The connection broke, or no answer came: the agent cannot know what happened. */
export class NoAnswer extends Error {}
