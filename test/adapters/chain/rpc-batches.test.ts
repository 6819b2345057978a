import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { BaseError } from "viem";
import { RpcBatches } from "../../../backend/adapters/chain/rpc-batches.ts";
import { findRpcError, isRejection } from "../../../backend/adapters/chain/rpc-errors.ts";

interface Question {
  readonly id: number;
  readonly method: string;
}

type Answer = (questions: readonly Question[]) => { readonly status?: number; readonly body: string };

const toResults = (questions: readonly Question[]): readonly object[] =>
  questions.map(({ id, method }) => ({ jsonrpc: "2.0", id, result: `of ${method}` }));

describe("calls to a node over HTTP", () => {
  let server: Server;
  let answer: Answer;
  let requests: { readonly questions: readonly Question[]; readonly headers: IncomingMessage["headers"] }[];

  before(async () => {
    server = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      const questions = JSON.parse(text) as readonly Question[];
      requests.push({ questions, headers: request.headers });
      const { status = 200, body } = answer(questions);
      response.writeHead(status).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  beforeEach(() => {
    requests = [];
    answer = (questions) => ({ body: JSON.stringify(toResults(questions)) });
  });
  after(() => server.close());

  const open = (user = "", batchSize = 20): RpcBatches => {
    const { port } = server.address() as AddressInfo;
    return new RpcBatches({ rpcUrl: `http://${user}127.0.0.1:${port}/`, timeoutMs: 30_000, batchSize });
  };
  const fail = (batches: RpcBatches): Promise<unknown> =>
    batches.ask({ method: "one" }).catch((error: unknown) => error);

  it("share a request when they come at once, up to the size of a batch", async () => {
    const batches = open("", 2);
    const asked = ["a", "b", "c"].map((method) => batches.ask({ method }));
    expect(await Promise.all(asked)).to.deep.equal(["of a", "of b", "of c"]);
    expect(requests.map(({ questions }) => questions.map(({ method }) => method))).to.have.deep.members([
      ["a", "b"],
      ["c"],
    ]);
  });

  it("get the answer with their own id, also where the node leaves one out or changes the order", async () => {
    answer = (questions) => ({ body: JSON.stringify(toResults(questions.slice(1)).toReversed()) });
    const batches = open();
    const settled = await Promise.allSettled(["a", "b", "c"].map((method) => batches.ask({ method })));
    expect(settled.map((result) => (result.status === "fulfilled" ? result.value : null))).to.deep.equal([
      null,
      "of b",
      "of c",
    ]);
    expect((settled[0] as PromiseRejectedResult).reason).to.be.instanceOf(BaseError);
  });

  it("name the user of the node's address in a header", async () => {
    await open("me:p%40ss@").ask({ method: "a" });
    expect(requests[0]!.headers.authorization).to.equal(`Basic ${Buffer.from("me:p@ss").toString("base64")}`);
  });

  it("fail with the node's error of the call itself", async () => {
    const error = { code: -32_000, message: "nonce too low" };
    answer = (questions) => ({ body: JSON.stringify(questions.map(({ id }) => ({ jsonrpc: "2.0", id, error }))) });
    expect(findRpcError(await fail(open()))).to.include({ code: -32_000, details: "nonce too low" });
  });

  it("fail otherwise where the node rejects the whole request", async () => {
    const error = { code: -32_600, message: "batch too large" };
    for (const status of [200, 429]) {
      answer = () => ({ status, body: JSON.stringify({ jsonrpc: "2.0", id: null, error }) });
      const failure = await fail(open());
      expect(failure).to.be.instanceOf(BaseError);
      expect(findRpcError(failure)).to.equal(null);
    }
  });

  it("fail with the status of a gateway, and where the body is no JSON", async () => {
    answer = () => ({ status: 413, body: "too large" });
    expect(isRejection(await fail(open()))).to.equal(true);
    answer = () => ({ status: 502, body: "bad gateway" });
    expect(await fail(open())).to.include({ name: "HttpRequestError", status: 502 });
    answer = () => ({ body: "<html>" });
    expect(await fail(open())).to.include({ name: "HttpRequestError", status: undefined });
  });
});
