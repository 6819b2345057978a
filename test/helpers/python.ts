import { spawnSync } from "node:child_process";

/** The Python 3 of this machine. Throws if it has none, or one before 3.9. */
export function requirePython(): string {
  const { status } = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]);
  if (status === 0) return "python3";
  throw new Error("these tests need python3, 3.9 or later: apt-get install python3");
}

/**
 * A Python 3 that has a package, null if none has. `.ci/run` installs `websockets` for Debian's own, which need not be
 * the first one of the path.
 */
export const findPythonWith = (name: string): string | null =>
  ["python3", "/usr/bin/python3"].find((path) => spawnSync(path, ["-c", `import ${name}`]).status === 0) ?? null;
