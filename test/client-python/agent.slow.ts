import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect } from "chai";
import { keccak256, recoverMessageAddress, recoverTransactionAddress, toHex } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { root } from "../../scripts/start/build.ts";
import { createFastClock } from "../../testing/clock.ts";
import { runProgram, runUntilPoints } from "../examples/run-program.ts";
import { findPythonWith } from "../helpers/python.ts";
import { startTestStack } from "../helpers/suite.ts";
import { python } from "./package.ts";

const FOLDER = join(root, "client-python");
const README = readFileSync(join(FOLDER, "README.md"), "utf8");
const OWN_BOT = /^```python\n(from agent_arcade\.agent [\s\S]*?)^```$/m.exec(README)![1]!;
const COMMAND = (url: string): string[] => ["-m", "agent_arcade", url];
/** Python without site-packages and settings (-S, -E) has only the standard library. */
const CHANNELS = [
  { what: "its command", part: "built in", program: python, flags: ["-E", "-S"], toArgs: COMMAND },
  {
    what: "the README's bot",
    part: "built in",
    program: python,
    flags: ["-E", "-S"],
    toArgs: (url: string) => ["-c", OWN_BOT.replace("http://127.0.0.1:4100", url)],
  },
  ...[findPythonWith("websockets")].flatMap((program) =>
    program === null ? [] : [{ what: "its command", part: "websockets", program, flags: [], toArgs: COMMAND }],
  ),
];

describe("the agent of client-python", () => {
  for (const { what, part, program, flags, toArgs } of CHANNELS)
    it(`goes from an empty wallet to a payout by ${what}, over the channel ${part}, and names its parts`, async () => {
      const stack = await startTestStack({ clock: createFastClock(2) });
      try {
        let waited: Promise<unknown> | null = null;
        const { code, output } = await runUntilPoints(program, ["-B", ...flags, ...toArgs(stack.httpUrl)], {
          cwd: FOLDER,
          // The cooldown before a payout passes on the chain, not in the test.
          onOutput: (text) => {
            if (!text.includes("snapshotScoreSigned 0x")) return;
            waited ??= stack.chain.request("evm_increaseTime", [6]).then(() => stack.chain.request("evm_mine", []));
          },
        });
        await waited;
        expect(output).to.match(/^python 3\.\d+\.\d+\nchannel: .*\nwallet: (built in|eth-account)/);
        expect(output).to.include(`\nchannel: ${part}`);
        expect(output).to.include("\nreplay signed\n");
        expect(output).to.match(/payout included: [1-9]\d* points, 0x[0-9a-f]{64}\n$/);
        expect(code).to.equal(0);
      } finally {
        await stack.close();
      }
    });

  it("signs with its built-in wallet as viem verifies", async () => {
    const key = generatePrivateKey();
    const transaction = {
      chainId: 31337,
      nonce: 0,
      maxPriorityFeePerGas: 1,
      maxFeePerGas: 10 ** 9,
      gas: 21000,
      to: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
      value: 0,
      data: `0x${"ab".repeat(300)}`,
    };
    const program = [
      "import json, sys",
      "from agent_arcade import wallet",
      "key, transaction, text = json.load(sys.stdin)",
      "mine = wallet.BuiltInWallet(key)",
      "digests = [wallet.keccak256(bytes(n)).hex() for n in (0, 1, 135, 136, 137, 300)]",
      "print(json.dumps([mine.address, mine.sign_message(text), mine.sign_transaction(transaction), digests]))",
    ].join("\n");
    const text = "Ünïcode and\nlines";
    const output = execFileSync(python, ["-c", program], {
      cwd: FOLDER,
      input: JSON.stringify([key, transaction, text]),
      encoding: "utf8",
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" },
    });
    const [address, signature, serialized, digests] = JSON.parse(output);
    expect(address).to.equal(privateKeyToAddress(key));
    expect(await recoverMessageAddress({ message: text, signature })).to.equal(address);
    expect(await recoverTransactionAddress({ serializedTransaction: serialized })).to.equal(address);
    expect(digests).to.deep.equal([0, 1, 135, 136, 137, 300].map((n) => keccak256(toHex(new Uint8Array(n))).slice(2)));
  });

  it("reports in one line what is wrong with the service's address, and with the node's", async () => {
    // One server acts as the service and as the node of another chain.
    let isService = true;
    const server = createServer((request, response) => {
      const instructions = { ok: true, chainId: 31337, rpcUrl: null, contracts: {} };
      const answers: { readonly [path: string]: string } = {
        ...(isService ? { "/api/agent-instructions": JSON.stringify(instructions) } : {}),
        "/node": JSON.stringify({ jsonrpc: "2.0", id: 1, result: "0x1" }),
        "/failing": JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32005, message: "too many requests" } }),
        "/plain": JSON.stringify({ error: "no such project" }),
        "/empty": JSON.stringify({ id: 1 }),
      };
      response.end(answers[request.url!] ?? "<html>");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const service = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const run = async (url: string, node: string): Promise<string> => {
      const env = { ARCADE_RPC_URL: node };
      const { code, output } = await runProgram(python, ["-B", "-m", "agent_arcade", url], { cwd: FOLDER, env });
      expect(code, output).to.equal(1);
      expect(output).to.not.include("Traceback");
      return output;
    };
    try {
      expect(await run("http://127.0.0.1:1", "")).to.match(/^127\.0\.0\.1:1: no answer in JSON .*refused.*; is this/);
      expect(await run(`${service}/other`, "")).to.match(/^expected the origin of a service.* remove '\/other'\n$/);
      expect(await run(service, "")).to.include("set one in ARCADE_RPC_URL");
      expect(await run(service, "http://127.0.0.1:1/v3/secret-key"))
        .to.match(/^127\.0\.0\.1:1: .*refused.*; set another node of the chain in ARCADE_RPC_URL$/m)
        .and.not.include("secret-key");
      for (const node of ["127.0.0.1/v3/secret-key", "localhost:1/v3/secret-key", "http://127.0.0.1:secret-key/"])
        expect(await run(service, node))
          .to.match(/^(127\.0\.0\.1|an address without http:\/\/): no answer in JSON/)
          .and.not.include("secret-key");
      expect(await run(service, `${service}/failing`)).to.equal("eth_chainId: too many requests\n");
      expect(await run(service, `${service}/plain`)).to.equal("eth_chainId: no such project\n");
      expect(await run(service, `${service}/empty`)).to.equal("eth_chainId: {'id': 1}\n");
      expect(await run(service, `${service}/node`)).to.include("the node is on chain 1, the service on 31337");
      isService = false;
      expect(await run(service, "")).to.match(/^127\.0\.0\.1:\d+: no answer in JSON/);
    } finally {
      server.close();
    }
  });

  it("rejects arguments and keys that it cannot use", async () => {
    const run = (args: readonly string[], key = "") =>
      runProgram(python, ["-B", "-m", "agent_arcade", ...args], { cwd: FOLDER, env: { ARCADE_AGENT_KEY: key } });
    const help = await run(["--help"]);
    expect(help.code).to.equal(0);
    expect(help.output).to.include("usage: agent-arcade").and.include("ARCADE_AGENT_KEY");
    const unknown = await run(["http://127.0.0.1:1", "--game", "flappybots"]);
    expect(unknown.code).to.equal(2);
    expect(unknown.output).to.include("unrecognized arguments: --game flappybots");
    const program = "import sys; from agent_arcade import wallet; wallet.make_wallet(31337, sys.argv[1])";
    const makeWallet = (key: string) => runProgram(python, ["-B", "-c", program, key], { cwd: FOLDER });
    expect((await makeWallet("0xabc")).output)
      .to.include("expected a private key of 64 hex digits")
      .and.include("5");
    const key = generatePrivateKey();
    for (const form of [key, key.slice(2), ` ${key}\n`]) expect((await makeWallet(form)).code, form).to.equal(0);
  });

  it("reaches this machine without the proxy of the environment", async () => {
    const server = createServer((_, response) => response.end('{"ok":true}')).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const program = [
      "import os",
      "from agent_arcade import agent",
      `print([agent.Service(f"http://{host}:${port}").call("/") for host in ("127.0.0.1", "localhost")])`,
      'print(os.environ.get("no_proxy"))',
    ].join("\n");
    const run = async (proxies: { readonly [name: string]: string }) => {
      const env = { http_proxy: undefined, no_proxy: undefined, NO_PROXY: undefined, ...proxies };
      const { output } = await runProgram(python, ["-B", "-c", program], { cwd: FOLDER, env });
      return output.split("\n");
    };
    const answers = "[{'ok': True}, {'ok': True}]";
    try {
      const proxy = { HTTP_PROXY: "http://127.0.0.1:1" };
      expect(await run({ ...proxy, NO_PROXY: ".example" })).to.deep.equal([
        answers,
        ".example,localhost,127.0.0.1,::1,[::1]",
        "",
      ]);
      expect(await run({ ...proxy, no_proxy: "*" })).to.deep.equal([answers, "*", ""]);
    } finally {
      server.close();
    }
  });

  it("treats a broken connection as a closed channel", async () => {
    const program = [
      "import io",
      "from agent_arcade import channel",
      "broken = channel.BuiltInChannel.__new__(channel.BuiltInChannel)",
      'broken.reader = io.BytesIO(b"\\x81")',
      "print(broken.receive())",
    ].join("\n");
    expect(await runProgram(python, ["-B", "-c", program], { cwd: FOLDER })).to.deep.equal({
      code: 0,
      output: "None\n",
    });
  });

  it("rejects every chain but the local one without eth-account", async () => {
    const program =
      'from agent_arcade import wallet; wallet.Account = None; wallet.make_wallet(8453, "0x" + "11" * 32)';
    const { code, output } = await runProgram(python, ["-c", program], { cwd: FOLDER });
    expect(code).to.equal(1);
    expect(output).to.include("install eth-account");
  });
});
