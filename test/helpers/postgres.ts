/** PostgreSQL for tests. */
import { type PostgresServer, startPostgres } from "../../scripts/fleet/postgres-server.ts";
import { findPostgresPrograms } from "./postgres-programs.ts";

export { type PostgresServer, startPostgres } from "../../scripts/fleet/postgres-server.ts";

/** A server that runs during the suite's tests. They get it from the returned function. */
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
