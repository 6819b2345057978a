/** The agent of another ERC-8004 registry that a wallet has linked to its profile. */
import type { AgentProfile } from "../../client/api.ts";
import { AGENT_LABELS, formatLinkedAgent } from "../labels/agents.ts";
import { Address } from "./address.tsx";

interface LinkedAgentProps {
  readonly profile: AgentProfile | null;
}

/** Nothing where the wallet has linked none. */
export function LinkedAgent({ profile }: LinkedAgentProps) {
  const linked = profile?.linkedAgent ?? null;
  if (linked === null) return null;
  // `eip155:CHAIN:ADDRESS`; links are of this deployment's own chain.
  const registry = linked.agentRegistry.split(":").at(-1)!;
  return (
    <p class="linked-agent" title={AGENT_LABELS.linkedNote}>
      {`${formatLinkedAgent(linked.agentId)} `}
      <Address hex={registry} />
    </p>
  );
}
