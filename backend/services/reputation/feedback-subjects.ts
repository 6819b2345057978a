import { type Address, isAddressEqual } from "viem";
import type { AgentRegistry, ReputationRegistry } from "../../ports/agent-registry.ts";
import type { Log } from "../../ports/system.ts";
import type { LinkedAgents } from "../identity/linked-agents.ts";

interface SubjectPorts {
  readonly registry: Pick<ReputationRegistry, "address" | "getIdentityRegistry">;
  /** The deployment's own identity contract. */
  readonly identity: Address;
  readonly agentRegistry: Pick<AgentRegistry, "address"> | null;
  readonly linkedAgents: Pick<LinkedAgents, "find" | "findHeld">;
  readonly log: Log;
}

/** Under which id feedback speaks of a player: its own identity, or the agent that its wallet has linked. */
type Kind = "own" | "linked" | "none";

/** Finds the agent that feedback in a Reputation registry is about, by the Identity registry that it belongs to. */
export class FeedbackSubjects {
  readonly #ports: SubjectPorts;
  #kind: Kind | null = null;

  constructor(ports: SubjectPorts) {
    this.#ports = ports;
  }

  /** The id; null where the registry does not speak of this player. Throws `CHAIN_UNAVAILABLE` until the registry was read. */
  async find({ agentId, wallet }: { readonly agentId: string; readonly wallet: Address }): Promise<string | null> {
    this.#kind ??= await this.#readKind();
    if (this.#kind === "none") return null;
    return this.#kind === "own" ? agentId : ((await this.#ports.linkedAgents.find(wallet))?.agentId ?? null);
  }

  /** Whether the wallet still holds the agent that it has linked, as the chain says now. Throws `CHAIN_UNAVAILABLE`. */
  async isHeld(subject: string, wallet: Address): Promise<boolean> {
    return this.#kind === "own" || (await this.#ports.linkedAgents.findHeld(wallet)) === subject;
  }

  async #readKind(): Promise<Kind> {
    const { registry, identity, agentRegistry, log } = this.#ports;
    const agents = await registry.getIdentityRegistry();
    if (agents !== null && isAddressEqual(agents, identity)) return "own";
    if (agents !== null && agentRegistry !== null && isAddressEqual(agents, agentRegistry.address)) return "linked";
    const facts = { registry: registry.address, agents };
    log.error(
      facts,
      "no feedback is published: the Reputation registry is neither of AgentIdentity nor of ARCADE_AGENT_REGISTRY",
    );
    return "none";
  }
}
