import { type Address, type Hex, hashTypedData, type TypedDataDefinition } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import { toAgentRegistry } from "../../../domain/identity.ts";
import { createLinkAgent, LINK_SECONDS_MAX, type LinkedAgent } from "../../../domain/linked-agent.ts";
import type { AgentRegistry } from "../../ports/agent-registry.ts";
import type { ChainReader } from "../../ports/chain.ts";
import type { LinkedAgentRow, LinkedAgentStore } from "../../ports/store/linked-agents.ts";
import type { Clock, Log, Worker } from "../../ports/system.ts";
import { proveSignature } from "../auth/wallet-signature.ts";

interface LinkedAgentPorts {
  readonly store: LinkedAgentStore;
  readonly chain: Pick<ChainReader, "deployment" | "hasCode" | "isValidSignature">;
  /** Null: this service links no agents. */
  readonly registry: AgentRegistry | null;
  readonly worker: Pick<Worker, "recoverTypedData">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly log: Log;
  readonly allowErc1271: boolean;
}

export interface LinkRequest {
  readonly agentRegistry: Address;
  readonly agentId: string;
  /** Unix seconds. */
  readonly deadline: string;
  readonly signature: Hex;
}

/** How often the links are compared with the registry, and how many at once. */
const CHECK_INTERVAL_MS = 60_000;
const CHECKED_AT_ONCE = 50;

/** Agents of other ERC-8004 registries that wallets have linked to their profiles. */
export class LinkedAgents {
  readonly #ports: LinkedAgentPorts;
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  /** The wallet up to which this round has compared the links; null: the next round begins with the first. */
  #checkedWallet: Address | null = null;

  constructor(ports: LinkedAgentPorts) {
    this.#ports = ports;
  }

  /**
   * Links an agent that the wallet holds, with the wallet's signature. Throws `NOT_FOUND` where this service links none,
   * `CONTRACT_MISMATCH`, `MESSAGE_EXPIRED`, `SIGNATURE_INVALID`, `AGENT_NOT_HELD` and `CHAIN_UNAVAILABLE`.
   */
  async link(wallet: Address, request: LinkRequest): Promise<void> {
    const { store, clock } = this.#ports;
    const registry = this.#requireRegistry();
    const { agentId, deadline, signature } = request;
    if (request.agentRegistry !== registry.address) {
      const message = `Expected agentRegistry ${registry.address}, received ${request.agentRegistry}.`;
      throw new ArcadeError("CONTRACT_MISMATCH", message, {
        expected: registry.address,
        received: request.agentRegistry,
      });
    }
    this.#checkDeadline(deadline);
    await this.#checkSignature(wallet, request);
    if (!(await registry.isHeldBy(BigInt(agentId), wallet))) {
      const message = `Expected ${wallet} to own agent ${agentId} of ${registry.address}, or to be its agent wallet; it is neither.`;
      throw new ArcadeError("AGENT_NOT_HELD", message);
    }
    await store.put({ wallet, registry: registry.address, agentId, deadline, signature, linkedAtMs: clock.nowMs() });
  }

  /** Ends the wallet's link, if there is one. */
  async unlink(wallet: Address): Promise<void> {
    const row = await this.#ports.store.find(wallet);
    if (row !== null) await this.#ports.store.remove(row);
  }

  /** The agent that the wallet has linked, as far as this service knows it: the node is not asked. */
  async find(wallet: Address): Promise<LinkedAgent | null> {
    const row = await this.#ports.store.find(wallet);
    const { chainId } = this.#ports.chain.deployment;
    return row === null ? null : { agentId: row.agentId, agentRegistry: toAgentRegistry(chainId, row.registry) };
  }

  /** In the background: compares some links with the registry, once a minute. Links of agents that were given away end. */
  async refreshIfDue(): Promise<void> {
    const { registry, store, clock, log } = this.#ports;
    if (registry === null || clock.nowMs() < this.#checkedAtMs + CHECK_INTERVAL_MS) return;
    this.#checkedAtMs = clock.nowMs();
    try {
      const rows = await store.list({ afterWallet: this.#checkedWallet, limit: CHECKED_AT_ONCE });
      await Promise.all(rows.map((row) => this.#keepIfHeld(row)));
      this.#checkedWallet = rows.length < CHECKED_AT_ONCE ? null : rows.at(-1)!.wallet;
    } catch (error) {
      log.warn({ err: error }, "links of agents could not be compared with their registry yet");
    }
  }

  /** Links of a registry that is not the configured one stay as they are, and count as not held. */
  async #keepIfHeld(row: LinkedAgentRow): Promise<boolean> {
    const { registry, store } = this.#ports;
    if (registry === null || row.registry !== registry.address) return false;
    const isHeld = await registry.isHeldBy(BigInt(row.agentId), row.wallet);
    if (!isHeld) await store.remove(row);
    return isHeld;
  }

  #requireRegistry(): AgentRegistry {
    const { registry } = this.#ports;
    if (registry !== null) return registry;
    throw new ArcadeError("NOT_FOUND", "This service links no agents of other registries (ARCADE_AGENT_REGISTRY).");
  }

  #checkDeadline(deadline: string): void {
    const nowSeconds = Math.floor(this.#ports.clock.nowMs() / 1000);
    const latest = nowSeconds + LINK_SECONDS_MAX;
    if (BigInt(deadline) >= BigInt(nowSeconds) && BigInt(deadline) <= BigInt(latest)) return;
    const message = `Expected a deadline from ${nowSeconds} to ${latest} (unix seconds), received ${deadline}.`;
    throw new ArcadeError("MESSAGE_EXPIRED", message);
  }

  async #checkSignature(wallet: Address, { agentRegistry, agentId, deadline, signature }: LinkRequest): Promise<void> {
    const { chain, worker } = this.#ports;
    const link = createLinkAgent(chain.deployment, { wallet, agentRegistry, agentId, deadline });
    await proveSignature(this.#ports, {
      wallet,
      signature,
      recovered: await worker.recoverTypedData(link, signature),
      // Numbers are decimal strings here and bigints in viem's types; its encoder accepts both.
      getDigest: () => hashTypedData(link as unknown as TypedDataDefinition),
      instruction: "sign LinkAgent with exactly these fields (docs/signing.md)",
    });
  }
}
