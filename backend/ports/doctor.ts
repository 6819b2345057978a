/** The doctor: a deployment and the keys of the service against the chain. */

/** What one check has found. */
export interface DoctorFinding {
  /** Stable, for machines: `signer.rewards`. */
  readonly id: string;
  readonly status: "ok" | "warning" | "fault" | "skipped";
  readonly finding: string;
  /** What to do; null if there is nothing to do. */
  readonly next: string | null;
}

/** What the doctor checks. */
export interface DoctorSubject {
  readonly chainId: number;
  readonly rpcUrl: string;
  /** The file of addresses. */
  readonly deploymentPath: string;
}

/** Runs every check. A chain that does not answer is a finding; it never throws. */
export type Doctor = (subject: DoctorSubject) => Promise<readonly DoctorFinding[]>;
