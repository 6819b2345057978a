/** How an agent's way is told while it goes. */
import type { PlayFrame } from "../../client/play.ts";
import type { Hex } from "../../client/types.ts";
import { CommandError, exitCodeOf, nextOf } from "../cli/failures.ts";

/** What a step came to, in one line. */
export interface StepReport {
  readonly words: string;
  readonly gasUsed?: bigint | undefined;
  readonly txHash?: Hex | null | undefined;
  /** `quiet`: nothing had to be done. */
  readonly mark?: "good" | "warn" | "quiet";
}

/** Listens to one agent. */
export interface Watcher {
  /** A step begins; `words` may be shown until it is done. */
  begin(step: string, words: string): void;
  done(step: string, report: StepReport, ms: number): void;
  frame(slug: string, frame: PlayFrame): void;
  failed(step: string, error: unknown): void;
}

/** A step that failed, with what to do next. */
export class StepError extends CommandError {
  readonly step: string;
  readonly code: string | undefined;

  constructor(step: string, cause: unknown) {
    const next = nextOf(cause);
    super(`${step}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      exitCode: exitCodeOf(cause),
      cause,
      ...(next === null ? {} : { next }),
    });
    this.step = step;
    const { code } = (cause ?? {}) as { code?: unknown };
    this.code = typeof code === "string" ? code : undefined;
  }
}

export type Steps = ReturnType<typeof makeSteps>;

/** Runs steps one after the other, timed and told to `watcher`; a failing one throws `StepError`. */
export function makeSteps(watcher: Watcher) {
  return async function step<T>(
    name: string,
    doing: string,
    work: () => Promise<T>,
    tell: (value: T) => StepReport,
  ): Promise<T> {
    const startedAtMs = performance.now();
    watcher.begin(name, doing);
    try {
      const value = await work();
      watcher.done(name, tell(value), performance.now() - startedAtMs);
      return value;
    } catch (error) {
      const failure = error instanceof StepError ? error : new StepError(name, error);
      watcher.failed(name, failure);
      throw failure;
    }
  };
}
