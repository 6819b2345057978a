import { ArcadeError } from "../../../domain/errors.ts";
import type { Roles } from "../../../domain/roles.ts";
import type { ChainIndex } from "../../ports/chain.ts";
import type { RecoveryProgress } from "../../ports/live.ts";
import type { Store } from "../../ports/store/store.ts";
import type { ChainNodeStatus, Clock } from "../../ports/system.ts";
import type { ChainAudit } from "./chain-audit.ts";
import type { SignerCheck } from "./signer-check.ts";

interface ReadinessPorts {
  readonly store: Pick<Store, "probe">;
  readonly index: Pick<ChainIndex, "getHead" | "getProblem">;
  /** The nodes of the chain where there are several. */
  readonly listNodes: () => readonly ChainNodeStatus[];
  readonly clock: Pick<Clock, "nowMs">;
  readonly roles: Roles;
  readonly draining: () => boolean;
  readonly recovery: () => RecoveryProgress;
  /** Why sessions of other nodes cannot be reached or started; the function is null where there are no other nodes. */
  readonly findPlaneProblem: (() => string | null) | null;
  readonly signerCheck: Pick<SignerCheck, "findProblem">;
  readonly chainAudit: Pick<ChainAudit, "findProblem">;
  /** The greatest age of the latest block; null on a chain that mines on demand. */
  readonly headAgeMaxSeconds: number | null;
}

export interface ReadinessCheck {
  readonly name: string;
  readonly ok: boolean;
  /** What is wrong, or "fine". */
  readonly sentence: string;
}

/** A check's problem, null where there is none. */
type FindProblem = () => Promise<string | null>;

async function runCheck(name: string, findProblem: FindProblem): Promise<ReadinessCheck> {
  try {
    const problem = await findProblem();
    return { name, ok: problem === null, sentence: problem ?? "fine" };
  } catch (error) {
    return { name, ok: false, sentence: error instanceof ArcadeError ? error.message : "the check failed" };
  }
}

/** Without the live plane a node goes on with its own sessions and with everything durable: it stays ready. */
const toPlaneCheck = (problem: string | null): ReadinessCheck => ({
  name: "live",
  ok: true,
  sentence: problem === null ? "fine" : `degraded: ${problem}`,
});

/** One node that works is enough. Their addresses stay out: this check is public. */
const toNodesCheck = (nodes: readonly ChainNodeStatus[]): ReadinessCheck => {
  const problems = nodes.flatMap(({ place, problem }) => (problem === null ? [] : [`node ${place} ${problem}`]));
  return { name: "nodes", ok: true, sentence: problems.length === 0 ? "fine" : `degraded: ${problems.join("; ")}` };
};

const findRecoveryProblem = ({ done, total }: RecoveryProgress): string | null =>
  done === total ? null : `recovering: ${done} of ${total} open sessions run again`;

/**
 * Whether this process can do its work: it is not stopping, the sessions of the last process run again, and the
 * database can be written. Where its roles need the chain, chain and signers have to answer, and the stored events have
 * to agree with the contracts.
 */
export class Readiness {
  readonly #ports: ReadinessPorts;

  constructor(ports: ReadinessPorts) {
    this.#ports = ports;
  }

  /** Runs the checks of the process and of its roles. */
  async check(): Promise<{ readonly ready: boolean; readonly checks: readonly ReadinessCheck[] }> {
    const checks = await Promise.all(this.#listChecks());
    return { ready: checks.every(({ ok }) => ok), checks };
  }

  #listChecks(): (ReadinessCheck | Promise<ReadinessCheck>)[] {
    const { roles, draining, recovery, store, signerCheck, chainAudit, listNodes, findPlaneProblem } = this.#ports;
    const checks: (ReadinessCheck | Promise<ReadinessCheck>)[] = [
      runCheck("process", async () => (draining() ? "the service is stopping" : null)),
      runCheck("sessions", async () => findRecoveryProblem(recovery())),
      runCheck("database", async () => {
        await store.probe();
        return null;
      }),
    ];
    // Sockets and games go on while the chain does not answer.
    if (roles.includes("api") || roles.includes("chain")) {
      checks.push(runCheck("chain", () => this.#findHeadProblem()));
      checks.push(runCheck("signers", async () => signerCheck.findProblem()));
    }
    const nodes = listNodes();
    if (nodes.length > 0) checks.push(toNodesCheck(nodes));
    // Only a process that audits knows what the audit found.
    if (roles.includes("chain")) checks.push(runCheck("audit", async () => chainAudit.findProblem()));
    if (findPlaneProblem !== null) checks.push(toPlaneCheck(findPlaneProblem()));
    return checks;
  }

  /** As of the indexer's last poll; the node is not asked. */
  async #findHeadProblem(): Promise<string | null> {
    const { index, clock, headAgeMaxSeconds } = this.#ports;
    const head = index.getHead();
    const problem = index.getProblem();
    if (problem !== null) return problem;
    if (head === null) return "The chain's node has not responded yet.";
    const { number, timestamp } = head;
    if (headAgeMaxSeconds === null) return null;
    const ageSeconds = Math.floor(clock.nowMs() / 1000) - timestamp;
    if (ageSeconds <= headAgeMaxSeconds) return null;
    return `block ${number}, the node's latest, is ${ageSeconds} s old; expected at most ${headAgeMaxSeconds} s`;
  }
}
