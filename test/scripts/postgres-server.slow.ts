import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect } from "chai";
import { Client } from "pg";
import { findFreePort } from "../../scripts/fleet/free-port.ts";
import { startPostgres } from "../../scripts/fleet/postgres-server.ts";
import { describePostgres } from "../helpers/postgres.ts";

describePostgres("the PostgreSQL of npm run fleet", () => {
  it("starts on another port when its own was taken by another program", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const taken = (other.address() as AddressInfo).port;
    const ports = [taken];
    const server = await startPostgres(["fsync=off"], async () => ports.shift() ?? (await findFreePort()));
    try {
      expect(ports).to.deep.equal([]);
      const client = new Client({ connectionString: await server.createDatabase() });
      await client.connect();
      expect((await client.query("select 1 as one")).rows).to.deep.equal([{ one: 1 }]);
      await client.end();
    } finally {
      await server.stop();
      other.close();
    }
  });
});
