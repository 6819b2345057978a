import { spawnSync } from "node:child_process";

/** The Python 3 of this machine; null if it has none, or one before 3.9. */
export function findPython(): string | null {
  const { status } = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]);
  return status === 0 ? "python3" : null;
}

/**
 * A Python 3 that has a package, null if none has. `.ci/run` installs `websockets` for Debian's own, which need not be
 * the first one of the path.
 */
export const findPythonWith = (name: string): string | null =>
  ["python3", "/usr/bin/python3"].find((path) => spawnSync(path, ["-c", `import ${name}`]).status === 0) ?? null;
