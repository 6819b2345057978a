import type { Address } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import type { ChainReader } from "../../ports/chain.ts";
import type { Clock, SignerRole, Signers } from "../../ports/system.ts";

interface SignerCheckPorts {
  readonly chain: Pick<ChainReader, "deployment" | "checkRoles">;
  readonly signers: Signers;
  readonly operator: Address;
  /** The games of this version; the addresses file may name more. */
  readonly slugs: readonly string[];
  readonly clock: Pick<Clock, "monotonicMs">;
}

/** What is wrong with each key, by its role; without an entry the key is accepted. */
type Problems = ReadonlyMap<SignerRole | "operator", string>;

/** Roles change rarely, and health checks run often. */
const CACHE_TTL_MS = 10_000;
/**
 * How long requests rely on the last read while later ones fail. If a key has lost its role since then, the contract
 * rejects its signature.
 */
const RELIED_ON_MS = 60_000;

/** Compares the keys of this process with the roles that the contracts give them. */
export class SignerCheck {
  readonly #ports: SignerCheckPorts;
  #known: { readonly problems: Problems; readonly atMs: number } | null = null;
  #running: Promise<Problems> | null = null;
  #wasAsked = false;

  constructor(ports: SignerCheckPorts) {
    this.#ports = ports;
  }

  /** The keys that lack their role as of the last read; null if none does. Does not query the node. */
  findProblem(): string | null {
    if (this.#known === null) return "the roles of the keys have not been read from the chain yet";
    const found = [...this.#known.problems.values()];
    return found.length === 0 ? null : found.join("; ");
  }

  /**
   * Reads the roles again if they are older than 10 s. The indexer's polls call it, so that no request has to. The
   * first call resolves when the roles are read, all others at once.
   */
  async refreshIfDue(): Promise<void> {
    if (!this.#isOlderThan(CACHE_TTL_MS)) return;
    const isFirst = !this.#wasAsked;
    this.#wasAsked = true;
    const read = this.#refresh().then(
      () => undefined,
      () => undefined,
    );
    if (isFirst) await read;
  }

  /**
   * Throws `SIGNER_UNAVAILABLE` if the contract rejects the role's key. Reads the chain only if no read of the
   * last minute has found the key accepted.
   */
  async requireAccepted(role: SignerRole): Promise<void> {
    const isAccepted = !this.#isOlderThan(RELIED_ON_MS) && !this.#known!.problems.has(role);
    const problem = isAccepted ? undefined : (await this.#refresh()).get(role);
    if (problem !== undefined)
      throw new ArcadeError(
        "SIGNER_UNAVAILABLE",
        `Nothing is signed, because the contract would reject it: ${problem}; the operator has to set the right key.`,
      );
  }

  /** Also true if nothing was read yet. */
  #isOlderThan(ageMs: number): boolean {
    return this.#known === null || this.#ports.clock.monotonicMs() - this.#known.atMs >= ageMs;
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
    const { chain, operator } = this.#ports;
    const { rewards } = chain.deployment;
    const signers = this.#listSigners();
    const isAccepted = await chain.checkRoles([
      ...signers.map(({ contract, account }) => ({ role: "signer" as const, contract, account })),
      { role: "operator", contract: rewards, account: operator },
    ]);
    const problems = new Map<SignerRole | "operator", string>();
    for (const [index, { role, contract, account }] of signers.entries())
      if (!isAccepted[index]) problems.set(role, `${contract} does not accept ${account}, the signer of ${role}`);
    if (!isAccepted[signers.length])
      problems.set("operator", `${rewards} does not let ${operator} relay payouts as its operator`);
    return problems;
  }

  #listSigners() {
    const { chain, slugs, signers } = this.#ports;
    const { identity, rewards, nft } = chain.deployment;
    const contracts: readonly (readonly [SignerRole, Address])[] = [
      ["identity", identity],
      ["score", rewards],
      ...slugs.map((slug) => [`nft:${slug}`, nft[slug]!] as const),
    ];
    return contracts.map(([role, contract]) => ({ role, contract, account: signers(role).address }));
  }
}
