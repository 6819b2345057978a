import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { createRemoteSigner } from "../../../backend/adapters/signer/remote-signer.ts";
import { createTypedData } from "../../../domain/typed-data/messages.ts";
import { TestClock } from "../../helpers/test-clock.ts";

const account = privateKeyToAccount(`0x${"11".repeat(32)}`);
const HASH: Hex = `0x${"22".repeat(32)}`;

describe("a remote signer", () => {
  let server: Server;
  /** The numbers of requests whose connection is cut instead of answered. */
  let cut: readonly number[] = [];
  let requests = 0;

  before(async () => {
    server = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      requests += 1;
      if (cut.includes(requests)) return void request.socket.resetAndDestroy();
      const { id, params } = JSON.parse(text);
      const result = await account.signTypedData(JSON.parse(params[1]));
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    requests = 0;
  });

  function sign(): Promise<unknown> {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const signer = createRemoteSigner({ address: account.address, url, token: null }, new TestClock());
    const fields = { wallet: account.address, gameId: HASH, score: "7", gameSessionHash: HASH, deadline: "9" };
    return signer.sign(createTypedData("Snapshot", { chainId: 31_337, verifyingContract: account.address }, fields));
  }

  it("gets the request once more when it has closed the connection of a request", async () => {
    cut = [1];
    await sign();
    expect(requests).to.equal(2);
  });

  it("is not asked a third time", async () => {
    cut = [1, 2, 3];
    const error = await sign().catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: "SIGNER_UNAVAILABLE" });
    expect(requests).to.equal(2);
  });
});
