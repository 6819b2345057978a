import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect } from "chai";
import { findFreePort, PortTakenError, startOnFreePort } from "../../scripts/fleet/free-port.ts";

/** Listens like a program that gets its port as an argument. */
async function listen(port: number) {
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EADDRINUSE" ? new PortTakenError(error.message) : error;
  });
  return server;
}

describe("free ports", () => {
  it("are not among those that the system gives to other programs in the meantime", async () => {
    for (let n = 0; n < 20; n++) expect(await findFreePort()).to.be.within(20_000, 29_999);
  });

  it("are not sought further if listening fails for a reason other than a port in use", async () => {
    // An address for documentation (RFC 5737), which no machine has.
    const failure = await findFreePort("192.0.2.1").catch((error: unknown) => error);
    expect(failure).to.have.property("code", "EADDRNOTAVAIL");
  });

  it("are chosen again if another program has taken one, at most five times", async () => {
    const other = await listen(await findFreePort());
    const { port: taken } = other.address() as AddressInfo;
    try {
      const ports = [taken];
      const server = await startOnFreePort(listen, async () => ports.shift() ?? (await findFreePort()));
      expect((server.address() as AddressInfo).port).to.not.equal(taken);
      server.close();
      let tried = 0;
      const failure = await startOnFreePort(listen, async () => {
        tried += 1;
        return taken;
      }).catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(PortTakenError);
      expect(tried).to.equal(5);
    } finally {
      other.close();
    }
  });

  it("are not chosen again after another failure", async () => {
    let tried = 0;
    const failure = await startOnFreePort(async () => {
      tried += 1;
      throw new Error("a bug");
    }).catch((error: unknown) => error);
    expect(String(failure)).to.equal("Error: a bug");
    expect(tried).to.equal(1);
  });
});
