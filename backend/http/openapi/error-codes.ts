/** The codes that a route can return: its own, and those that follow from its definition. */
import { ERRORS, type ErrorCode } from "../../../domain/errors.ts";
import type { Route } from "../routing/route.ts";

interface SharedCodes {
  /** Whether a route can return these codes. */
  readonly applyTo: (route: Route) => boolean;
  readonly codes: readonly ErrorCode[];
}

/** The codes of request checks, which a route shares with all routes of its kind. */
const SHARED_CODES: readonly SharedCodes[] = [
  { applyTo: () => true, codes: ["BAD_REQUEST", "INTERNAL", "STORAGE_BUSY", "STORAGE_FULL", "SHUTTING_DOWN"] },
  { applyTo: ({ limits }) => limits.length > 0, codes: ["RATE_LIMITED"] },
  {
    applyTo: ({ limits }) => limits.some(({ source }) => source !== undefined),
    codes: ["SESSION_RECOVERING", "SERVER_FULL"],
  },
  {
    applyTo: ({ method, path }) => method === "POST" && path.includes("{sessionId}"),
    codes: ["SESSION_RECOVERING"],
  },
  {
    applyTo: ({ method }) => method === "POST",
    codes: ["BAD_JSON", "VALIDATION_FAILED", "UNKNOWN_FIELD", "BODY_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"],
  },
  { applyTo: ({ query }) => query !== undefined, codes: ["VALIDATION_FAILED", "UNKNOWN_FIELD"] },
  { applyTo: ({ access }) => access !== "public", codes: ["TOKEN_INVALID"] },
  { applyTo: ({ access }) => access !== "public" && access !== "admin", codes: ["TOKEN_EXPIRED"] },
  { applyTo: ({ access }) => ["wallet", "player", "admin"].includes(access), codes: ["AUTH_REQUIRED"] },
  { applyTo: ({ access }) => access === "admin", codes: ["NOT_FOUND"] },
  { applyTo: ({ access, method }) => access !== "public" && method === "POST", codes: ["FORBIDDEN"] },
  {
    applyTo: ({ idempotent }) => idempotent === true,
    codes: ["IDEMPOTENCY_CONFLICT", "IDEMPOTENCY_IN_PROGRESS"],
  },
];

/** The codes of the route's own subject: those of its handler, of the names in its path, and of the identity. */
export function getOwnErrorCodes(route: Route): readonly ErrorCode[] {
  const codes = new Set(route.errors);
  if (route.path.includes("{slug}")) codes.add("GAME_NOT_FOUND");
  if (route.path.includes("{sessionId}")) codes.add("SESSION_NOT_FOUND");
  if (route.identity !== undefined) codes.add("IDENTITY_REQUIRED");
  return [...codes];
}

/** Every code that a route can return, in the order of the error table. */
export function getErrorCodes(route: Route): readonly ErrorCode[] {
  const shared = SHARED_CODES.filter(({ applyTo }) => applyTo(route));
  const codes = new Set([...getOwnErrorCodes(route), ...shared.flatMap((row) => row.codes)]);
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code));
}
