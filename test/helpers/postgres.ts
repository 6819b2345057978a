/** PostgreSQL for tests. */
import { type PostgresServer, startPostgres } from "../../scripts/fleet/postgres-server.ts";
import { findPostgresPrograms } from "./postgres-programs.ts";

export { type PostgresServer, startPostgres } from "../../scripts/fleet/postgres-server.ts";

/** A server that runs while the tests of the suite do. The returned function gives it to them. */
export function usePostgres(): () => PostgresServer {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server?.stop());
  return () => server;
}

/** Declares the tests if the server is installed; the test commands report if it is not. */
export const describePostgres = (title: string, declareTests: (this: Mocha.Suite) => void): void => {
  if (findPostgresPrograms() !== null) describe(title, declareTests);
};
