/** Plays all courses of a policy in a separate process. */
import { createForfeitedRun, type Run } from "../../../domain/league/course.ts";
import { PolicyFault } from "../../../domain/league/policy-fault.ts";
import type { CourseRequest } from "./child.ts";
import { PolicyProcess } from "./policy-process.ts";

/** One run for each seed. If the process has to be killed, the policy forfeits this course and those after it. */
export async function playCourses(text: string, courses: CourseRequest): Promise<readonly Run[]> {
  const runs: Run[] = [];
  let process: PolicyProcess | null = null;
  try {
    process = await PolicyProcess.start(text);
    await process.play(courses, (run) => runs.push(run));
    return runs;
  } catch (error) {
    if (!(error instanceof PolicyFault)) throw error;
    const { kind, message, line, column } = error;
    const forfeit = createForfeitedRun({ reason: kind, text: message, tick: 0, line, column });
    return courses.seeds.map((_, course) => runs[course] ?? forfeit);
  } finally {
    process?.stop();
  }
}
