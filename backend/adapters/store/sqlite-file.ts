/** The file of a database URL. */
import { resolve } from "node:path";

/** The file of `sqlite:PATH`; null for databases on a server. */
export const findSqliteFile = (databaseUrl: string): string | null =>
  databaseUrl.startsWith("sqlite:") ? resolve(databaseUrl.slice("sqlite:".length)) : null;
