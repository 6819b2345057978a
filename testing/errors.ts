export type TestingErrorCode =
  | "UNKNOWN_STAGE"
  | "UNKNOWN_FAULT"
  | "INVALID_OPTION"
  | "UNKNOWN_SNAPSHOT"
  | "NODE_UNREACHABLE"
  | "PORT_IN_USE"
  | "NODE_TOO_OLD";

/** This package is used wrongly, or cannot reach a dependency. */
export class TestingError extends Error {
  override readonly name = "TestingError";
  readonly code: TestingErrorCode;

  constructor(code: TestingErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
  }
}

const NODE_MIN = [22, 18] as const;

/** Throws a `TestingError` for a Node version that cannot run a stack: npm skips native files for it. */
export function requireNode(version: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) return;
  throw new TestingError(
    "NODE_TOO_OLD",
    `Node: expected ${NODE_MIN.join(".")} or later; received ${version}. Remove node_modules, then install with the new one`,
  );
}

/** Checks that a value is in a list. Throws a `TestingError` that lists the allowed values. */
export function requireOneOf<T extends string>(
  code: TestingErrorCode,
  name: string,
  list: readonly T[],
  value: unknown,
): T {
  if (list.includes(value as T)) return value as T;
  throw new TestingError(code, `${name}: expected ${list.join(", ")}; received ${JSON.stringify(value)}`);
}

/** Checks that a value is an integer in a range. Throws a `TestingError` with that range. */
export function requireInteger(name: string, value: unknown, least: number, most: number): number {
  if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) return Number(value);
  const received = typeof value === "number" ? String(value) : JSON.stringify(value);
  throw new TestingError(
    "INVALID_OPTION",
    `${name}: expected a whole number from ${least} to ${most}; received ${received}`,
  );
}
