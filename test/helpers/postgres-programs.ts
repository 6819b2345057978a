import { existsSync } from "node:fs";
import { getEnvironment } from "../../backend/config/environment.ts";
import { findPostgresPrograms as findInstalled, findNatsProgram } from "../../scripts/fleet/programs.ts";

/**
 * The folder of the newest installed server's programs. Null if none is installed, and in `npm test`, which needs only
 * Node; servers have separate commands (`npm test -- --suite postgres`).
 */
export const findPostgresPrograms = (): string | null =>
  getEnvironment().TEST_SERVERS === "off" ? null : findInstalled();

export const PROGRAMS = { pgbouncer: "/usr/sbin/pgbouncer", haproxy: "/usr/sbin/haproxy" } as const;

/** The missing Debian packages of programs that tests start. */
export const listMissingPrograms = (): readonly string[] => [
  ...(findInstalled() === null ? ["postgresql"] : []),
  ...(findNatsProgram() === null ? ["nats-server"] : []),
  ...Object.entries(PROGRAMS).flatMap(([name, path]) => (existsSync(path) ? [] : [name])),
];
