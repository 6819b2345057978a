/** The servers that a fleet needs, where Debian installs them. */
import { existsSync, globSync } from "node:fs";
import { CommandError } from "../cli/failures.ts";

const NATS_PROGRAM = "/usr/sbin/nats-server";

/** The folder of the newest installed PostgreSQL's programs; null if none is installed. */
export const findPostgresPrograms = (): string | null =>
  globSync("/usr/lib/postgresql/*/bin/postgres")
    .sort()
    .at(-1)
    ?.replace(/\/postgres$/, "") ?? null;

/** The path of nats-server; null if it is not installed. */
export const findNatsProgram = (): string | null => (existsSync(NATS_PROGRAM) ? NATS_PROGRAM : null);

/** Throws `CommandError` with the Debian package of each missing program. */
export function checkInstalled<Found extends { readonly [debianPackage: string]: string | null }>(
  found: Found,
): { readonly [Name in keyof Found]: string } {
  const missing = Object.keys(found).filter((name) => found[name] === null);
  if (missing.length > 0)
    throw new CommandError(`Not installed: ${missing.join(" and ")}.`, {
      next: `apt-get install ${missing.join(" ")}`,
    });
  return found as { readonly [Name in keyof Found]: string };
}
