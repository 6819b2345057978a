import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { expect } from "chai";
import { BaseError } from "viem";
import { RpcBatches } from "../../../backend/adapters/chain/rpc-batches.ts";
import { describeError, findRpcError, isRejection } from "../../../backend/adapters/chain/rpc-errors.ts";
import { type HttpServer, startServer } from "../../helpers/http-server.ts";

/** The longest answer that is accepted. */
const RESPONSE_BYTES_MAX = 10 * 1024 * 1024;
/** The time limit for a node that does not answer. */
const SHORT_TIMEOUT_MS = 100;

interface Question {
  readonly id: number;
  readonly method: string;
}

type Answer = (
  questions: readonly Question[],
  response: ServerResponse,
) => { readonly status?: number; readonly body: string } | null;

interface Opening {
  /** The userinfo of the node's URL, with `@`. */
  readonly user?: string;
  readonly batchSize?: number;
  readonly timeoutMs?: number;
}

const toResults = (questions: readonly Question[]): readonly object[] =>
  questions.map(({ id, method }) => ({ jsonrpc: "2.0", id, result: `of ${method}` }));

describe("calls to a node over HTTP", () => {
  let server: HttpServer;
  let answer: Answer;
  let requests: { readonly questions: readonly Question[]; readonly headers: IncomingMessage["headers"] }[];

  before(async () => {
    server = await startServer((text, response, { headers }) => {
      const questions = JSON.parse(text) as readonly Question[];
      requests.push({ questions, headers });
      const given = answer(questions, response);
      if (given !== null) response.writeHead(given.status ?? 200).end(given.body);
    });
  });
  beforeEach(() => {
    requests = [];
    answer = (questions) => ({ body: JSON.stringify(toResults(questions)) });
  });
  after(() => server.close());

  const open = ({ user = "", batchSize = 20, timeoutMs = 30_000 }: Opening = {}): RpcBatches =>
    new RpcBatches({ rpcUrl: `http://${user}127.0.0.1:${server.port}/`, timeoutMs, batchSize });
  const fail = (batches: RpcBatches): Promise<unknown> =>
    batches.ask({ method: "one" }).catch((error: unknown) => error);

  const error = { code: -32_005, message: "too many requests" };
  const errorBody = JSON.stringify({ jsonrpc: "2.0", id: null, error });

  it("share a request when they come at once, up to the size of a batch", async () => {
    const batches = open({ batchSize: 2 });
    const asked = ["a", "b", "c"].map((method) => batches.ask({ method }));
    expect(await Promise.all(asked)).to.deep.equal(["of a", "of b", "of c"]);
    expect(requests.map(({ questions }) => questions.map(({ method }) => method))).to.have.deep.members([
      ["a", "b"],
      ["c"],
    ]);
  });

  it("get the answer with their id, even if the node leaves one out or changes the order", async () => {
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

  for (const [user, expected] of [
    ["me:p%40ss@", "me:p@ss"],
    ["me@", "me:"],
    [":SECRET@", ":SECRET"],
    // No encoded characters.
    ["50%:%zz%25@", "50%:%zz%"],
  ] as const)
    it(`send the user of the node's address in a header: ${user}`, async () => {
      expect(await open({ user }).ask({ method: "a" })).to.equal("of a");
      expect(requests[0]!.headers.authorization).to.equal(`Basic ${Buffer.from(expected).toString("base64")}`);
    });

  it("fail with the node's error of the call itself", async () => {
    const error = { code: -32_000, message: "nonce too low" };
    answer = (questions) => ({ body: JSON.stringify(questions.map(({ id }) => ({ jsonrpc: "2.0", id, error }))) });
    expect(findRpcError(await fail(open()))).to.include({ code: -32_000, details: "nonce too low" });
  });

  it("all fail with the node's single error for their request, which is not an answer to a call", async () => {
    answer = () => ({ body: errorBody });
    const batches = open();
    const settled = await Promise.allSettled(["a", "b", "c"].map((method) => batches.ask({ method })));
    expect(requests).to.have.length(1);
    for (const { reason } of settled as PromiseRejectedResult[]) {
      expect(reason).to.include({ name: "BatchRejectedError", details: "too many requests" });
      expect(describeError(reason)).to.equal("JSON-RPC error -32005");
      expect([findRpcError(reason), isRejection(reason)]).to.deep.equal([null, false]);
    }
  });

  for (const [name, most, status, error] of [
    ["Base", 10, 200, { code: -32_014, message: "maximum 10 calls in 1 batch" }],
    ["dRPC", 3, 500, { code: 31, message: "Batch of more than 3 requests are not allowed on free tier" }],
    ["a gateway", 1, 413, { code: -32_600, message: "too large" }],
  ] as const)
    it(`are sent in requests as long as the node accepts (${name}: ${most}), which is remembered`, async () => {
      answer = (questions) =>
        questions.length > most
          ? { status, body: JSON.stringify({ jsonrpc: "2.0", id: null, error }) }
          : { body: JSON.stringify(toResults(questions)) };
      const batches = open();
      const methods = Array.from({ length: 30 }, (_, n) => `method ${n}`);
      const ask = () => Promise.all(methods.map((method) => batches.ask({ method })));
      const expected = methods.map((method) => `of ${method}`);
      expect(await ask()).to.deep.equal(expected);
      requests = [];
      expect(await ask()).to.deep.equal(expected);
      expect(requests.filter(({ questions }) => questions.length > most)).to.deep.equal([]);
    });

  for (const [name, status, error] of [
    ["Hedera's relay", 400, { code: -32_202, message: "Batch requests are disabled" }],
    ["a parser of single calls", 200, { code: -32_700, message: "Parse error" }],
  ] as const)
    it(`are sent one by one to a node that takes no lists (${name})`, async () => {
      const nonceError = { code: -32_000, message: "nonce too low" };
      answer = (question) => {
        if (Array.isArray(question)) return { status, body: JSON.stringify({ jsonrpc: "2.0", id: null, error }) };
        const { id, method } = question as unknown as Question;
        if (method === "limited") return { body: errorBody };
        const result = method === "bad" ? { error: nonceError } : { result: `of ${method}` };
        return { body: JSON.stringify({ jsonrpc: "2.0", id, ...result }) };
      };
      const batches = open();
      const ask = (methods: readonly string[]) =>
        Promise.all(methods.map((method) => batches.ask({ method }).catch((reason: Error) => reason)));
      expect(await ask(["a", "b", "c"])).to.deep.equal(["of a", "of b", "of c"]);
      requests = [];
      const [good, bad, limited] = await ask(["d", "bad", "limited"]);
      expect(good).to.equal("of d");
      expect(findRpcError(bad)).to.include({ details: "nonce too low" });
      expect(limited).to.include({ name: "BatchRejectedError", details: "too many requests" });
      expect(requests).to.have.length(3);
    });

  it("are sent as lists again after a node has rejected everything for a while", async () => {
    const error = { code: -32_700, message: "Parse error" };
    const batches = open();
    answer = () => ({ status: 400, body: JSON.stringify({ jsonrpc: "2.0", id: null, error }) });
    expect(await batches.ask({ method: "a" }).catch((reason: Error) => reason)).to.be.instanceOf(Error);
    answer = (questions) => ({ body: JSON.stringify(toResults(questions)) });
    requests = [];
    expect(await Promise.all(["b", "c"].map((method) => batches.ask({ method })))).to.deep.equal(["of b", "of c"]);
    expect(requests).to.have.length(1);
  });

  it("get null when the node omits the result", async () => {
    answer = (questions) => ({ body: JSON.stringify(questions.map(({ id }) => ({ jsonrpc: "2.0", id }))) });
    expect(await open().ask({ method: "one" })).to.equal(null);
  });

  for (const result of [null, "0x", "", {}])
    it(`fail at ${JSON.stringify(result)} instead of a chain id, which is not their chain`, async () => {
      answer = (questions) => ({ body: JSON.stringify(questions.map(({ id }) => ({ jsonrpc: "2.0", id, result }))) });
      const failure = await open()
        .ask({ method: "eth_chainId" })
        .catch((error: unknown) => error);
      expect(describeError(failure)).to.equal(`${JSON.stringify(result)} instead of a number for eth_chainId`);
    });

  const redirect: Answer = (_, response) => {
    response.setHeader("location", "/elsewhere");
    return { status: 307, body: "" };
  };
  const cut: Answer = (_, response) => {
    response.destroy();
    return null;
  };
  const failures: readonly (readonly [string, number | undefined, boolean, Answer])[] = [
    ["a JSON-RPC error with the status 400", 400, true, () => ({ status: 400, body: errorBody })],
    ["a JSON-RPC error with the status 413", 413, true, () => ({ status: 413, body: errorBody })],
    ["a JSON-RPC error with the status 429", 429, false, () => ({ status: 429, body: errorBody })],
    ["a JSON-RPC error with the status 503", 503, false, () => ({ status: 503, body: errorBody })],
    ["the text of a gateway for what is too large", 413, true, () => ({ status: 413, body: "too large" })],
    ["the text of a gateway", 502, false, () => ({ status: 502, body: "bad gateway" })],
    ["no JSON", undefined, false, () => ({ body: "<html>" })],
    ["a redirect, which is not followed", 307, false, redirect],
    ["a connection that is cut", undefined, false, cut],
  ];
  for (const [name, status, isRejected, fault] of failures)
    it(`fail at ${name}, and are not sent again`, async () => {
      answer = fault;
      const failure = await fail(open());
      expect(failure).to.include({ name: "HttpRequestError", status });
      if (status === 307) expect(failure).to.include({ details: "Temporary Redirect" });
      const described = fault === cut ? "ECONNRESET" : "a body that is not JSON";
      expect(describeError(failure)).to.equal(status === undefined ? described : `HTTP ${status}`);
      expect([findRpcError(failure), isRejection(failure)]).to.deep.equal([null, isRejected]);
      expect(requests).to.have.length(1);
    });

  it("accept an answer of 10 MiB, and reject a longer one as too large", async () => {
    let bytes = RESPONSE_BYTES_MAX;
    answer = (questions) => ({ body: JSON.stringify(toResults(questions)).padEnd(bytes) });
    expect(await open().ask({ method: "a" })).to.equal("of a");
    bytes += 1;
    expect(isRejection(await fail(open()))).to.equal(true);
  });

  it("close the connection if an answer is too long", async () => {
    let closed: Promise<unknown> | null = null;
    answer = (_, response) => {
      closed = once(response, "close");
      response.writeHead(200).write(" ".repeat(RESPONSE_BYTES_MAX + 1));
      return null;
    };
    expect(isRejection(await fail(open()))).to.equal(true);
    await closed;
  });

  for (const [name, begin] of [
    ["no answer", () => undefined],
    ["an answer that never ends", (response: ServerResponse) => response.writeHead(200).write("[")],
  ] as const)
    it(`fail after their time limit with ${name}, and close the connection`, async () => {
      let closed: Promise<unknown> | null = null;
      answer = (_, response) => {
        closed = once(response, "close");
        begin(response);
        return null;
      };
      const failure = await fail(open({ timeoutMs: SHORT_TIMEOUT_MS }));
      expect(failure).to.include({ name: "TimeoutError" });
      expect(isRejection(failure)).to.equal(false);
      await closed;
    });
});
