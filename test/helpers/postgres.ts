/** PostgreSQL for tests. */
import { findPostgresPrograms } from "./postgres-programs.ts";

export { type PostgresServer, startPostgres } from "../../scripts/fleet/postgres-server.ts";

/** Declares the tests where the server is installed; the test commands say so where it is not. */
export const describePostgres = (title: string, declareTests: (this: Mocha.Suite) => void): void => {
  if (findPostgresPrograms() !== null) describe(title, declareTests);
};
