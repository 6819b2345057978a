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
  /** The nodes of the chain if there are several. */
  readonly listNodes: () => readonly ChainNodeStatus[];
  readonly clock: Pick<Clock, "nowMs">;
  readonly roles: Roles;
  readonly draining: () => boolean;
  readonly recovery: () => RecoveryProgress;
  /** Why sessions of other nodes cannot be reached or started; the function is null if there are no other nodes. */
  readonly findPlaneProblem: (() => string | null) | null;
  readonly signerCheck: Pick<SignerCheck, "findProblem">;
  readonly findPauseProblem: () => string | null;
  readonly chainAudit: Pick<ChainAudit, "findProblem">;
  /** The greatest age of the latest block; null on a chain that mines on demand. */
  readonly headAgeMaxSeconds: number | null;
}

export interface ReadinessCheck {
  readonly name: string;
  readonly ok: boolean;
  /** What is wrong, or "fine". */
  readonly sentence: string;
  /** False for an alarm: it calls the operator, and requests are still served. */
  readonly required: boolean;
}

/** A check's problem, null if there is none. */
type FindProblem = () => Promise<string | null>;

async function findSentence(findProblem: FindProblem): Promise<string | null> {
  try {
    return await findProblem();
  } catch (error) {
    return error instanceof ArcadeError ? error.message : "the check failed";
  }
}

const createRunner =
  (required: boolean) =>
  async (name: string, findProblem: FindProblem): Promise<ReadinessCheck> => {
    const problem = await findSentence(findProblem);
    return { name, ok: problem === null, sentence: problem ?? "fine", required };
  };
/** If this check fails, the process cannot serve requests. */
const requireCheck = createRunner(true);
/** Every backend sees the same result, so taking one off the balancer would not help. */
const watch = createRunner(false);

/** Without the live plane a node still runs its own sessions and everything durable: it stays ready. */
const toPlaneCheck = (problem: string | null): ReadinessCheck => ({
  name: "live",
  ok: true,
  sentence: problem === null ? "fine" : `degraded: ${problem}`,
  required: false,
});

/** One working node is enough. Node addresses are left out: this check is public. */
const toNodesCheck = (nodes: readonly ChainNodeStatus[]): ReadinessCheck => {
  const problems = nodes.flatMap(({ place, problem }) => (problem === null ? [] : [`node ${place} ${problem}`]));
  const sentence = problems.length === 0 ? "fine" : `degraded: ${problems.join("; ")}`;
  return { name: "nodes", ok: true, sentence, required: false };
};

const findRecoveryProblem = ({ done, total }: RecoveryProgress): string | null =>
  done === total ? null : `recovering: ${done} of ${total} open sessions run again`;

/**
 * Whether this process should get requests: it is not stopping, has recovered the sessions that it found at its start,
 * and the database answers. The other checks are alarms for the operator: the chain, the signers' roles, a pause, and whether
 * the stored events agree with the contracts.
 */
export class Readiness {
  readonly #ports: ReadinessPorts;

  constructor(ports: ReadinessPorts) {
    this.#ports = ports;
  }

  /** Runs the checks of the process and of its roles. */
  async check(): Promise<{ readonly ready: boolean; readonly checks: readonly ReadinessCheck[] }> {
    const checks = await Promise.all(this.#listChecks());
    return { ready: checks.every(({ ok, required }) => ok || !required), checks };
  }

  #listChecks(): (ReadinessCheck | Promise<ReadinessCheck>)[] {
    const { roles, draining, recovery, store, signerCheck, findPauseProblem, chainAudit, listNodes, findPlaneProblem } =
      this.#ports;
    const checks: (ReadinessCheck | Promise<ReadinessCheck>)[] = [
      requireCheck("process", async () => (draining() ? "the service is stopping" : null)),
      // A process that takes over the sessions of another one may be the only one that is left.
      (recovery().isStart ? requireCheck : watch)("sessions", async () => findRecoveryProblem(recovery())),
      requireCheck("database", async () => {
        await store.probe();
        return null;
      }),
    ];
    // Sockets and games keep running while the chain does not answer.
    if (roles.includes("api") || roles.includes("chain")) {
      checks.push(watch("chain", () => this.#findHeadProblem()));
      checks.push(watch("signers", async () => signerCheck.findProblem()));
      checks.push(watch("pause", async () => findPauseProblem()));
    }
    const nodes = listNodes();
    if (nodes.length > 0) checks.push(toNodesCheck(nodes));
    // Only a process that runs the audit has its result.
    if (roles.includes("chain")) checks.push(watch("audit", async () => chainAudit.findProblem()));
    if (findPlaneProblem !== null) checks.push(toPlaneCheck(findPlaneProblem()));
    return checks;
  }

  /** As of the indexer's last poll; does not query the node. */
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
    return `block ${number}, the node's latest, is ${ageSeconds} s old; expected at most ${headAgeMaxSeconds} s; the node may have stopped, or this machine's clock is ahead`;
  }
}
