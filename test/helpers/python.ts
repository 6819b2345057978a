import { spawnSync } from "node:child_process";

/** The machine's Python 3. Throws if it is missing or older than 3.9. */
export function requirePython(): string {
  const { status } = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]);
  if (status === 0) return "python3";
  throw new Error("these tests need python3, 3.9 or later: apt-get install python3");
}

/**
 * A Python 3 that has a package, or null. `.ci/run` installs `websockets` for Debian's Python, which may not be the
 * first one in the path.
 */
export const findPythonWith = (name: string): string | null =>
  ["python3", "/usr/bin/python3"].find((path) => spawnSync(path, ["-c", `import ${name}`]).status === 0) ?? null;
