import type { Clock } from "../../ports/system.ts";
import type { HandlerServices } from "../routing/handler-services.ts";

/** How long a wallet counts as a player after its identity was found, and the maximum number remembered. */
const KNOWN_MS = 60_000;
const KNOWN_MAX = 10_000;

/** Players: wallets that have signed in and hold an agent identity. */
export class Players {
  readonly #identity: Pick<HandlerServices["identity"], "findAgentId">;
  readonly #clock: Pick<Clock, "monotonicMs">;
  /** When each entry expires. */
  readonly #known = new Map<string, number>();

  constructor(identity: Pick<HandlerServices["identity"], "findAgentId">, clock: Pick<Clock, "monotonicMs">) {
    this.#identity = identity;
    this.#clock = clock;
  }

  /** False if the identities cannot be read. */
  async has(wallet: `0x${string}`): Promise<boolean> {
    const nowMs = this.#clock.monotonicMs();
    if ((this.#known.get(wallet) ?? 0) > nowMs) return true;
    this.#known.delete(wallet);
    const agentId = await this.#identity.findAgentId(wallet).catch(() => null);
    if (agentId === null) return false;
    this.#known.set(wallet, nowMs + KNOWN_MS);
    if (this.#known.size > KNOWN_MAX) this.#known.delete(this.#known.keys().next().value!);
    return true;
  }
}
