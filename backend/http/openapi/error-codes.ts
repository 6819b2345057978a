/** Which codes a route can answer: its own, and those that follow from its definition. */
import { ERRORS, type ErrorCode } from "../../domain/errors.ts";
import type { Route } from "../route.ts";

const COMMON_CODES: readonly ErrorCode[] = ["BAD_REQUEST", "INTERNAL", "STORAGE_BUSY", "STORAGE_FULL", "SHUTTING_DOWN"];
const BODY_CODES: readonly ErrorCode[] = [
  "BAD_JSON",
  "VALIDATION_FAILED",
  "UNKNOWN_FIELD",
  "BODY_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
];

/** The codes of the route's own subject: those of its handler, of the names in its path, and of the identity. */
export function getOwnErrorCodes(route: Route): readonly ErrorCode[] {
  const codes = new Set(route.errors);
  if (route.path.includes("{slug}")) codes.add("GAME_NOT_FOUND");
  if (route.path.includes("{sessionId}")) codes.add("SESSION_NOT_FOUND");
  if (route.identity !== undefined) codes.add("IDENTITY_REQUIRED");
  return [...codes];
}

/** The codes of request checks that the route shares with all routes of its kind. */
function getSharedErrorCodes(route: Route): readonly ErrorCode[] {
  return [
    ...COMMON_CODES,
    ...(route.limits.length > 0 ? (["RATE_LIMITED"] as const) : []),
    ...(route.limits.some(({ source }) => source !== undefined)
      ? (["SESSION_RECOVERING", "SERVER_FULL"] as const)
      : []),
    ...(route.method === "POST" && route.path.includes("{sessionId}") ? (["SESSION_RECOVERING"] as const) : []),
    ...(route.method === "POST" ? BODY_CODES : []),
    ...(route.query === undefined ? [] : (["VALIDATION_FAILED", "UNKNOWN_FIELD"] as const)),
    ...(route.access === "public" ? [] : (["TOKEN_INVALID"] as const)),
    ...(route.access === "public" || route.access === "admin" ? [] : (["TOKEN_EXPIRED"] as const)),
    ...(["wallet", "player", "admin"].includes(route.access) ? (["AUTH_REQUIRED"] as const) : []),
    ...(route.access === "admin" ? (["NOT_FOUND"] as const) : []),
    ...(route.access !== "public" && route.method === "POST" ? (["FORBIDDEN"] as const) : []),
    ...(route.idempotent ? (["IDEMPOTENCY_CONFLICT", "IDEMPOTENCY_IN_PROGRESS"] as const) : []),
  ];
}

/** Every code that a route can answer, in the order of the error table. */
export function getErrorCodes(route: Route): readonly ErrorCode[] {
  const codes = new Set([...getOwnErrorCodes(route), ...getSharedErrorCodes(route)]);
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code));
}
