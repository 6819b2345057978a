import { globSync, readFileSync } from "node:fs";

/** The processes that this one has started and that have not ended (proc(5)). */
export const listChildProcesses = (): number[] =>
  globSync(`/proc/${process.pid}/task/*/children`).flatMap((path) =>
    readFileSync(path, "utf8").split(" ").filter(Boolean).map(Number),
  );
