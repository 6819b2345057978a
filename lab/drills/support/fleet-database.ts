/** Queries of a drill on a fleet's database. Each opens a new connection, since the server restarts. */
import { Client } from "pg";

export interface OpenSession {
  readonly sessionId: string;
  /** The node that runs the session. */
  readonly owner: string | null;
  readonly phase: string;
  readonly tick: number;
}

export class FleetDatabase {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  listOpen(): Promise<readonly OpenSession[]> {
    return this.#query(
      `select session_id as "sessionId", owner, phase, tick::int from sessions where phase <> 'ended' order by session_id`,
    );
  }

  /** The nodes whose lease is valid, by the database's clock. */
  async listNodes(): Promise<readonly string[]> {
    const now = "extract(epoch from clock_timestamp()) * 1000";
    const rows = await this.#query<{ readonly id: string }>(
      `select node_id as id from nodes where lease_until_ms > ${now}`,
    );
    return rows.map(({ id }) => id);
  }

  async #query<R extends object>(text: string): Promise<readonly R[]> {
    const client = new Client({ connectionString: this.#url });
    await client.connect();
    try {
      return (await client.query<R>(text)).rows;
    } finally {
      await client.end();
    }
  }
}
