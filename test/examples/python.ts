import { spawnSync } from "node:child_process";

/** The Python 3 of this machine; null where it has none, or one before 3.9. */
export function findPython(): string | null {
  const { status } = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]);
  return status === 0 ? "python3" : null;
}

/** Whether it has a package; `.ci/run` installs `websockets` where Debian has it. */
export const hasPackage = (python: string, name: string): boolean =>
  spawnSync(python, ["-c", `import ${name}`]).status === 0;
