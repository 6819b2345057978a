/** Where Debian installs PostgreSQL. */
import { globSync } from "node:fs";

/** The folder of the newest installed server's programs; null where none is installed. */
export const findPostgresPrograms = (): string | null =>
  globSync("/usr/lib/postgresql/*/bin/postgres")
    .sort()
    .at(-1)
    ?.replace(/\/postgres$/, "") ?? null;
