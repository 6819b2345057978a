/** The last word of a session, laid over its picture. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Pixels } from "../parts/pixels.tsx";
import { endSentence } from "../words.ts";

interface EndCardProps {
  readonly score: number;
  readonly endReason: string;
  /** Said instead of the reason's own sentence. */
  readonly sentence?: string | undefined;
  /** What has become of the score. */
  readonly standing?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function EndCard({ score, endReason, sentence, standing, children }: EndCardProps) {
  const card = useRef<HTMLElement>(null);
  useEffect(() => card.current?.focus({ preventScroll: true }), []);
  return (
    <div class="overlay">
      <section class="card end-card" ref={card} tabIndex={-1} aria-label="The run is over">
        <span class="card-name">Final score</span>
        <Pixels class="end-score" text={String(score)} />
        <p>{sentence ?? endSentence(endReason)}</p>
        {standing}
        <div class="card-ways">{children}</div>
      </section>
    </div>
  );
}
