import { toSitePath } from "../../domain/site.ts";
import { formatNumber } from "../labels/shared.ts";

/** The points of a run, with a link to its page. */
export const ScoreLink = ({ sessionId, score }: { readonly sessionId: string; readonly score: number }) => (
  <a class="score-link" href={toSitePath("run", { id: sessionId })}>
    {formatNumber(score)}
  </a>
);
