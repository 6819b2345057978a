/** Steps of an agent's run, timed and reported. */
import type { Hex } from "viem";
import type { PlayFrame } from "../../client/play.ts";
import { CommandError, getExitCode, getNextStep, toMessage } from "../cli/failures.ts";

/** The outcome of a step, for one line. */
export interface StepReport {
  readonly message: string;
  readonly gasUsed?: bigint | undefined;
  readonly txHash?: Hex | null | undefined;
  /** `quiet`: there was nothing to do. */
  readonly mark?: "good" | "warn" | "quiet";
}

/** Receives the steps of one agent. */
export interface StepListener {
  /** A step begins; show `message` until it is done. */
  begin(step: string, message: string): void;
  done(step: string, report: StepReport, ms: number): void;
  frame(slug: string, frame: PlayFrame): void;
  failed(step: string, error: unknown): void;
}

/** A failed step, with what to do next. */
class StepError extends CommandError {
  readonly step: string;
  readonly code: string | undefined;

  constructor(step: string, cause: unknown) {
    const next = getNextStep(cause);
    super(`${step}: ${toMessage(cause)}`, {
      exitCode: getExitCode(cause),
      cause,
      ...(next === null ? {} : { next }),
    });
    this.step = step;
    const { code } = (cause ?? {}) as { code?: unknown };
    this.code = typeof code === "string" ? code : undefined;
  }
}

export type StepRunner = ReturnType<typeof makeStepRunner>;

/** Runs steps in order and reports them to `listener`; a failing step throws `StepError`. */
export function makeStepRunner(listener: StepListener) {
  return async function step<T>(
    name: string,
    message: string,
    work: () => Promise<T>,
    toReport: (value: T) => StepReport,
  ): Promise<T> {
    const startedAtMs = performance.now();
    listener.begin(name, message);
    try {
      const value = await work();
      listener.done(name, toReport(value), performance.now() - startedAtMs);
      return value;
    } catch (error) {
      const failure = error instanceof StepError ? error : new StepError(name, error);
      listener.failed(name, failure);
      throw failure;
    }
  };
}
