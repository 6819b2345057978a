import type { IncomingMessage } from "node:http";
import { expect } from "chai";
import { getClientAddress, type TrustProxy } from "../../backend/requests/client-address.ts";

const PROXY = "10.0.0.9";

const getAddress = (forwardedFor: string, trustProxy: TrustProxy = 1): string =>
  getClientAddress(
    { headers: { "x-forwarded-for": forwardedFor }, socket: { remoteAddress: PROXY } } as unknown as IncomingMessage,
    trustProxy,
  );

describe("the client's address", () => {
  it("is the last one in the proxy's header, without the port that some proxies append", () => {
    for (const entry of ["192.0.2.1", "198.51.100.7, 192.0.2.1", "192.0.2.1:4711", "[::1]:1, 192.0.2.1:65535"])
      expect(getAddress(entry), entry).to.equal("192.0.2.1");
    for (const entry of ["2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:4711", "192.0.2.1,[2001:db8::1]:4711"])
      expect(getAddress(entry), entry).to.equal("2001:db8::1");
  });

  it("is the proxy's if the header has none, so that no text creates a separate caller", () => {
    for (const entry of ["", " ", "192.0.2.1,", "unknown", "_hidden", "999.1.1.1", "192.0.2.1:x", "x".repeat(4000)])
      expect(getAddress(entry), entry).to.equal(PROXY);
  });

  it("is the connection's if no proxy is trusted", () => {
    expect(getAddress("192.0.2.1", 0)).to.equal(PROXY);
  });
});
