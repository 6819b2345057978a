/** Messages over the picture while there is no live one: joining, full, connection lost, over. */
import { toSitePath } from "../../domain/site.ts";
import { SESSION_LABELS } from "../labels/session.ts";
import { SHARED_LABELS } from "../labels/shared.ts";
import { EndCard } from "./end-card.tsx";
import { MessageCard } from "./message.tsx";
import { ReconnectingCard } from "./reconnecting.tsx";
import type { SessionView } from "./session-view.ts";
import { SnapshotStatus } from "./snapshot-status.tsx";

export function Overlay({ sessionView }: { readonly sessionView: SessionView }) {
  const state = sessionView.state.value;
  const end = sessionView.end.value;
  switch (state.status) {
    case "watching":
      return sessionView.isStalled.value ? <MessageCard>{SESSION_LABELS.stalled}</MessageCard> : null;
    case "joining":
      return <MessageCard>{SESSION_LABELS.joining}</MessageCard>;
    case "reconnecting":
      return <ReconnectingCard />;
    case "missing":
      return (
        <MessageCard title={SESSION_LABELS.missing}>
          <a class="button" href="/">
            {SESSION_LABELS.seeLive}
          </a>
        </MessageCard>
      );
    case "full":
    case "failed":
      return (
        <MessageCard
          title={state.status === "full" ? SESSION_LABELS.full : SHARED_LABELS.failedTitle}
          text={state.text}
        >
          <button type="button" class="button" onClick={() => void sessionView.watch()}>
            {SHARED_LABELS.tryAgain}
          </button>
          <a class="button button-quiet" href="/">
            {SESSION_LABELS.watchAnother}
          </a>
        </MessageCard>
      );
    case "ended":
      if (end === null) return null;
      return (
        <EndCard
          score={end.score}
          endReason={end.endReason}
          snapshotStatus={<SnapshotStatus sessionView={sessionView} />}
        >
          {sessionView.record.value?.replay?.available === true && (
            <a class="button" href={toSitePath("run", { id: sessionView.sessionId })}>
              {SESSION_LABELS.watchAgain}
            </a>
          )}
          <a class="button button-quiet" href="/">
            {SESSION_LABELS.seeLive}
          </a>
        </EndCard>
      );
  }
}
