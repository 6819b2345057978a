/** A run of so many lives that it takes hours: each part is stored as it ends, and the next call goes on after the last one. */
import { execFileSync } from "node:child_process";
import { UsageError } from "../../scripts/cli/failures.ts";
import { root } from "../../scripts/start/build.ts";
import { toKind } from "./life/kinds.ts";
import { addUp, type Failure, joinDigests, type LivesResult } from "./lives.ts";
import { runInProcesses } from "./processes.ts";
import type { StoredCampaign, StoredPart } from "./result-types.ts";
import { CAMPAIGN_PATH, readCampaigns, writeCampaign } from "./stored-runs.ts";

/** A part is lost when the run is ended within it; processes that have just started are slow. */
const PART_LIVES = 5_000;

export interface CampaignOptions {
  /** The seed of the first life of the campaign. */
  readonly seed: number;
  /** How many lives the whole campaign has. */
  readonly lives: number;
  readonly processes: number;
  /** No part begins later; null: the campaign runs to its end. */
  readonly secondsMax: number | null;
}

export interface CampaignResult {
  /** Lives in which no invariant was broken, those of earlier calls included. */
  readonly lives: number;
  readonly failure: Failure | null;
}

/** The commit whose code runs; work that is not committed is told. The documents with the results are no code. */
function readCommit(): string {
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const isChanged = git("status", "--porcelain", "--", ".", ":!docs") !== "";
  return `${git("rev-parse", "--short=12", "HEAD")}${isChanged ? " with changes" : ""}`;
}

export const countLives = (parts: readonly StoredPart[]): number => parts.reduce((sum, { lives }) => sum + lives, 0);

/** The parts with the lives that follow them. Lives of one commit are one part. */
function extendParts(
  parts: readonly StoredPart[],
  { seed, commit, result }: { readonly seed: number; readonly commit: string; readonly result: LivesResult },
): readonly StoredPart[] {
  const last = parts.at(-1);
  const { lives, cpuMs, simulatedMs, faults, digests } = result;
  const traces = joinDigests(digests);
  if (last === undefined || last.commit !== commit)
    return [...parts, { commit, seed, lives, cpuMs, simulatedMs, faults, traces }];
  const sum = addUp([{ ...last, steps: 0, failures: [], digests: [] }, result]);
  const extended = { lives: sum.lives, cpuMs: sum.cpuMs, simulatedMs: sum.simulatedMs, faults: sum.faults };
  return [...parts.slice(0, -1), { ...last, ...extended, traces: joinDigests([last.traces, traces]) }];
}

interface CampaignDependencies {
  readonly runLives: typeof runInProcesses;
  readonly read: () => readonly StoredCampaign[];
  readonly write: (campaign: StoredCampaign) => void;
  readonly commit: string;
}

const createDependencies = (): CampaignDependencies => ({
  ...{ runLives: runInProcesses, read: readCampaigns, write: writeCampaign },
  commit: readCommit(),
});

/**
 * Runs the lives that are missing. The first part with a broken invariant is the last, and is not stored.
 *
 * @throws UsageError where the stored campaign of this kind of lives began with another seed.
 */
export async function runCampaign(
  { seed, lives, processes, secondsMax }: CampaignOptions,
  onPart: (livesDone: number) => void,
  { runLives, read, write, commit } = createDependencies(),
): Promise<CampaignResult> {
  const kind = toKind(seed).name;
  const stored = read().find((campaign) => campaign.kind === kind);
  if (stored !== undefined && stored.seed !== seed)
    throw new UsageError(
      `--seed: the stored campaign of ${kind} lives began with ${stored.seed}, received ${seed}; remove it from ${CAMPAIGN_PATH} to begin another`,
    );
  const untilMs = performance.now() + (secondsMax ?? Number.POSITIVE_INFINITY) * 1000;
  let parts = stored?.parts ?? [];
  for (let done = countLives(parts); done < lives && performance.now() < untilMs; done = countLives(parts)) {
    const request = { seed: seed + done, lives: Math.min(PART_LIVES, lives - done), isDescending: false };
    const result = await runLives({ ...request, stopsAtFailure: true, injected: null, processes, secondsMax: null });
    const [failure] = result.failures;
    if (failure !== undefined) return { lives: done, failure };
    parts = extendParts(parts, { seed: request.seed, commit, result });
    write({ kind, seed, parts });
    onPart(countLives(parts));
  }
  return { lives: countLives(parts), failure: null };
}
