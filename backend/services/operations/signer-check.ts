import type { Address } from "viem";
import { ArcadeError } from "../../domain/errors.ts";
import type { ChainReader } from "../../ports/chain.ts";
import type { Clock, SignerRole, Signers } from "../../ports/system.ts";

interface SignerCheckPorts {
  readonly chain: Pick<ChainReader, "deployment" | "isSigner" | "isOperator">;
  readonly signers: Signers;
  readonly operator: Address;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/** What is wrong with each key, by its role; without an entry the key is accepted. */
type Problems = ReadonlyMap<SignerRole | "operator", string>;

/** Roles change rarely, and health checks run often. */
const CACHE_TTL_MS = 10_000;

/** Compares the keys of this process with the roles that the contracts give them. */
export class SignerCheck {
  readonly #ports: SignerCheckPorts;
  #known: { readonly problems: Problems; readonly atMs: number } | null = null;
  #running: Promise<Problems> | null = null;

  constructor(ports: SignerCheckPorts) {
    this.#ports = ports;
  }

  /**
   * The keys that lack their role, null where none does, as of the last read; only the first call waits. Throws
   * `CHAIN_UNAVAILABLE` where the roles were never read.
   */
  async findProblem(): Promise<string | null> {
    const found = [...(this.#known?.problems ?? (await this.#refresh())).values()];
    return found.length === 0 ? null : found.join("; ");
  }

  /** Reads the roles again where they are older than 10 s. The indexer's polls call it, so that no request has to. */
  refreshIfDue(): void {
    if (this.#isDue()) this.#refresh().catch(() => undefined);
  }

  /** Throws `SIGNER_UNAVAILABLE` where the contract rejects the role's key, as read 10 s ago at most. */
  async requireAccepted(role: SignerRole): Promise<void> {
    const isKnown = this.#known !== null && !this.#isDue() && !this.#known.problems.has(role);
    const problem = isKnown ? undefined : (await this.#refresh()).get(role);
    if (problem !== undefined)
      throw new ArcadeError(
        "SIGNER_UNAVAILABLE",
        `Nothing is signed, because the contract would reject it: ${problem}; the operator has to set the right key.`,
      );
  }

  #isDue(): boolean {
    return this.#known === null || this.#ports.clock.monotonicMs() - this.#known.atMs >= CACHE_TTL_MS;
  }

  #refresh(): Promise<Problems> {
    this.#running ??= this.#readProblems()
      .then((problems) => {
        this.#known = { problems, atMs: this.#ports.clock.monotonicMs() };
        return problems;
      })
      .finally(() => {
        this.#running = null;
      });
    return this.#running;
  }

  async #readProblems(): Promise<Problems> {
    const entries = await Promise.all([
      ...this.#listRoles().map(async (role) => [role[0], await this.#checkSigner(...role)] as const),
      this.#checkOperator().then((problem) => ["operator", problem] as const),
    ]);
    return new Map(entries.filter((entry): entry is [SignerRole | "operator", string] => entry[1] !== null));
  }

  #listRoles(): readonly (readonly [SignerRole, Address])[] {
    const { identity, rewards, nft } = this.#ports.chain.deployment;
    return [
      ["identity", identity],
      ["score", rewards],
      ...Object.entries(nft).map(([slug, address]) => [`nft:${slug}`, address] as const),
    ];
  }

  async #checkSigner(role: SignerRole, contract: Address): Promise<string | null> {
    const { address } = this.#ports.signers(role);
    if (await this.#ports.chain.isSigner(contract, address)) return null;
    return `${contract} does not accept ${address}, the signer of ${role}`;
  }

  async #checkOperator(): Promise<string | null> {
    const { chain, operator } = this.#ports;
    if (await chain.isOperator(operator)) return null;
    return `${chain.deployment.rewards} does not let ${operator} relay payouts as its operator`;
  }
}
