export type TestingErrorCode =
  | "UNKNOWN_STAGE"
  | "UNKNOWN_FAULT"
  | "INVALID_OPTION"
  | "UNKNOWN_SNAPSHOT"
  | "NODE_UNREACHABLE"
  | "PORT_IN_USE";

/** A wrong use of this package, or something that it needs and cannot reach. */
export class TestingError extends Error {
  override readonly name = "TestingError";
  readonly code: TestingErrorCode;

  constructor(code: TestingErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
  }
}

/** One value of a list. Throws a `TestingError` that lists all of them. */
export function requireOneOf<T extends string>(
  code: TestingErrorCode,
  name: string,
  list: readonly T[],
  value: unknown,
): T {
  if (list.includes(value as T)) return value as T;
  throw new TestingError(code, `${name}: expected ${list.join(", ")}; received ${JSON.stringify(value)}`);
}

/** A whole number. Throws a `TestingError` that lists which ones are possible. */
export function requireInteger(name: string, value: unknown, least: number, most: number): number {
  if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) return Number(value);
  const received = typeof value === "number" ? String(value) : JSON.stringify(value);
  throw new TestingError(
    "INVALID_OPTION",
    `${name}: expected a whole number from ${least} to ${most}; received ${received}`,
  );
}
