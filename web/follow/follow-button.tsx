import { useEffect } from "preact/hooks";
import { AGENT_LABELS } from "../labels/agents.ts";
import { followed, readFollowed, setFollowed } from "./followed.ts";

export function FollowButton({ agentId }: { readonly agentId: string }) {
  useEffect(readFollowed, []);
  const isFollowed = followed.value.includes(agentId);
  return (
    <button
      type="button"
      class="button button-quiet follow"
      aria-pressed={isFollowed}
      title={AGENT_LABELS.followHelp}
      onClick={() => setFollowed(agentId, !isFollowed)}
    >
      {isFollowed ? AGENT_LABELS.following : AGENT_LABELS.follow}
    </button>
  );
}
