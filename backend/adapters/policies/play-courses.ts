/** Plays all courses of a policy in a separate process. */
import { createForfeitedRun, type Run } from "../../../domain/league/course.ts";
import { PolicyFault } from "../../../domain/league/policy-fault.ts";
import type { CourseRequest } from "./child.ts";
import { PolicyProcess, PROCESS_LIMITS } from "./policy-process.ts";

/** The most CPU time that all courses of a policy may take: several times what the most fuel takes. */
export const getCpuMsMax = ({ seeds, ticksMax }: Pick<CourseRequest, "seeds" | "ticksMax">): number =>
  PROCESS_LIMITS.silentCpuMs + PROCESS_LIMITS.meanTickCpuMs * seeds.length * ticksMax;

/**
 * One run for each seed. If the process has to be killed, the policy forfeits all courses: how far it came depends on the
 * machine.
 */
export async function playCourses(
  text: string,
  courses: CourseRequest,
  cpuMsMax = getCpuMsMax(courses),
): Promise<readonly Run[]> {
  const runs: Run[] = [];
  let process: PolicyProcess | null = null;
  try {
    process = await PolicyProcess.start(text);
    await process.play(courses, { onRun: (run) => runs.push(run), cpuMsMax });
    return runs;
  } catch (error) {
    if (!(error instanceof PolicyFault)) throw error;
    const { kind, message, line, column } = error;
    const forfeit = createForfeitedRun({ reason: kind, text: message, tick: 0, line, column });
    return courses.seeds.map(() => forfeit);
  } finally {
    process?.stop();
  }
}
