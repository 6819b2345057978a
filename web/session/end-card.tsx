/** The result of a session, shown over its picture. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { PixelText } from "../components/pixels.tsx";
import { getEndReasonLabel, HUD_LABELS } from "../labels/session.ts";

interface EndCardProps {
  readonly score: number;
  readonly endReason: string;
  /** Replaces the reason's default sentence. */
  readonly message?: string | undefined;
  /** The state of the score on chain. */
  readonly snapshotStatus?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function EndCard({ score, endReason, message, snapshotStatus, children }: EndCardProps) {
  const card = useRef<HTMLElement>(null);
  useEffect(() => card.current?.focus({ preventScroll: true }), []);
  return (
    <div class="overlay">
      <section class="card end-card" ref={card} tabIndex={-1} aria-label={HUD_LABELS.isOver}>
        <span class="card-name">{HUD_LABELS.finalScore}</span>
        <PixelText class="end-score" text={String(score)} />
        <p>{message ?? getEndReasonLabel(endReason)}</p>
        {snapshotStatus}
        <div class="card-actions">{children}</div>
      </section>
    </div>
  );
}
