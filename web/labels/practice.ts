/** Texts of practice. */
export const PRACTICE_LABELS = {
  title: "Practice",
  note: "No wallet needed, nothing at stake.",
  playedByYou: "played by you",
  start: "Start",
  startNew: "Start a new run",
  resumeRun: "Resume your run",
  opening: "Opening a session …",
  ready: "Ready",
  pause: "Pause",
  paused: "Paused",
  resume: "Resume",
  endRun: "End run",
  playAgain: "Play again",
  keys: "Keys",
  steer: "Steer",
} as const;

/** `pausesLeft`: null before the run. */
export const formatPause = (pausesLeft: number | null): string =>
  pausesLeft === null ? PRACTICE_LABELS.pause : `${PRACTICE_LABELS.pause} (${pausesLeft} left)`;

/** Texts for the player of a practice run, where they differ from the texts for viewers. */
export const OWN_END_REASON_LABELS: { readonly [reason: string]: string } = {
  exit: "You ended the run.",
  lives_lost: "No lives left.",
};
