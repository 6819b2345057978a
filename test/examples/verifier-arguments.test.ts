import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { type Hex, toHex } from "viem";
import { root } from "../../scripts/start/build.ts";
import { useEach } from "../helpers/fixture.ts";
import { startServer } from "../helpers/http-server.ts";
import { requirePython } from "../helpers/python.ts";
import { runProgram } from "./run-program.ts";

const REWARDS = `0x${"ab".repeat(20)}`;
const python = requirePython();

/** A node's response to each method. */
type Answers = { readonly [method: string]: unknown };

describe("the verifier in Python", () => {
  const place = useEach(async () => {
    const replays = await mkdtemp(join(tmpdir(), "arcade-verifier-"));
    return { replays, close: () => rm(replays, { recursive: true }) };
  });

  async function verify(
    node: string,
    { rewards = REWARDS, replays = place.replays, more = [] as readonly string[] } = {},
  ) {
    const args = ["--rewards", rewards, "--replays", replays, "--rpc", node, ...more];
    const { code, output } = await runProgram(python, ["-B", join(root, "examples/verifier/verify.py"), ...args]);
    expect(output).to.not.include("Traceback");
    return { code, output };
  }

  async function verifyAt(answers: Answers) {
    const server = createServer(async (request, response) => {
      const { method } = JSON.parse(Buffer.concat(await request.toArray()).toString("utf8")) as { method: string };
      const answer = answers[method];
      if (typeof answer === "number") response.statusCode = answer;
      response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      return await verify(`http://127.0.0.1:${(server.address() as AddressInfo).port}/secret`);
    } finally {
      server.close();
    }
  }

  it("reports a node that does not answer, or answers with an error", async () => {
    const chain = {
      eth_chainId: { result: "0x7a69" },
      eth_getCode: { result: "0x60" },
      eth_blockNumber: { result: "0x5" },
    };
    const cases: readonly (readonly [Answers, string])[] = [
      [{ eth_chainId: 429 }, " does not answer eth_chainId: status 429; try another node with --rpc"],
      [{ eth_chainId: "<html>" }, "does not answer eth_chainId: JSONDecodeError; "],
      [
        { ...chain, eth_getLogs: { error: { message: "block range too large" } } },
        "eth_getLogs: block range too large",
      ],
      [{ ...chain, eth_getLogs: ["no object"] }, "eth_getLogs: ['no object']"],
      [{ ...chain, eth_getCode: { result: "0x" } }, `there is no contract at ${REWARDS} on chain 31337`],
    ];
    for (const [answers, text] of cases) {
      const { code, output } = await verifyAt(answers);
      expect(output).to.include(text).and.not.include("secret");
      expect(code, text).to.equal(1);
    }
    const { code, output } = await verify("http://127.0.0.1:1/secret");
    expect(output).to.match(/^the node at 127\.0\.0\.1:\d+ does not answer eth_chainId: .*refused/);
    expect(code).to.equal(1);
  });

  it("searches 10,000 blocks in one request, from the given block to the latest one", async () => {
    const searched: (readonly [from: number, to: number])[] = [];
    const server = await startServer((body, response) => {
      const { method, params } = JSON.parse(body) as { method: string; params: [{ fromBlock: Hex; toBlock: Hex }] };
      const results = { eth_chainId: "0x7a69", eth_getCode: "0x60", eth_blockNumber: toHex(25_000), eth_getLogs: [] };
      if (method === "eth_getLogs") searched.push([Number(params[0].fromBlock), Number(params[0].toBlock)]);
      response.end(JSON.stringify({ result: results[method as keyof typeof results] }));
    });
    const { code, output } = await verify(server.url, { more: ["--from", "4001"] });
    const late = await verify(server.url, { more: ["--from", "25001"] });
    server.close();
    expect([code, output, late.code]).to.deep.equal([0, "", 0]);
    expect(searched).to.deep.equal([
      [4_001, 14_000],
      [14_001, 24_000],
      [24_001, 25_000],
    ]);
  });

  it("rejects a node's URL that it cannot open, and does not repeat the key in it", async () => {
    for (const url of [
      "http://[::1/secret",
      "localhost/secret",
      "http://127.0.0.1:secret/",
      "http://me:secret@127.0.0.1",
    ]) {
      const { code, output } = await verify(url);
      expect(output, url)
        .to.match(/error: --rpc: expected http:\/\//)
        .and.not.include("secret");
      expect(code, url).to.equal(2);
    }
  });

  it("rejects an address that is not one, and a folder that does not exist", async () => {
    for (const wrong of [{ rewards: "0x1" }, { replays: join(place.replays, "none") }]) {
      const { code, output } = await verify("http://127.0.0.1:1", wrong);
      expect(output).to.match(/error: --re\w+: expected an? /);
      expect(code).to.equal(2);
    }
  });
});
