import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect } from "chai";
import { Client } from "pg";
import { startPostgres } from "../../scripts/fleet/postgres-server.ts";
import { findFreePort } from "../drills/support/process.ts";
import { describePostgres } from "../helpers/postgres.ts";

describePostgres("the PostgreSQL of npm run fleet", function () {
  this.timeout(120_000);

  it("starts on another port where its own was taken by another program meanwhile", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const taken = (other.address() as AddressInfo).port;
    const ports = [taken, await findFreePort()];
    const server = await startPostgres(["fsync=off"], async () => ports.shift()!);
    try {
      expect(ports).to.deep.equal([]);
      const client = new Client({ connectionString: await server.createDatabase() });
      await client.connect();
      await client.end();
    } finally {
      await server.stop();
      other.close();
    }
  });
});
