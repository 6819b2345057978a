import { LEAGUE_LABELS } from "../labels/league.ts";

export const CourseProgress = ({ played, courses }: { readonly played: number; readonly courses: number }) => (
  <p class="league-progress">
    <progress max={Math.max(1, courses)} value={played} aria-label={LEAGUE_LABELS.courses} />
    <span>{LEAGUE_LABELS.progress(played, courses)}</span>
  </p>
);
