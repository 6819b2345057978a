import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "../../scripts/start/build.ts";
import { createFastClock } from "../../testing/clock.ts";
import { startServer } from "../helpers/http-server.ts";
import { useTestStack } from "../helpers/suite.ts";
import { makeFolder, readPrograms, runProgram, runUntilPoints } from "./run-program.ts";

describe("the programs of docs/agents.md", () => {
  const stack = useTestStack({ clock: createFastClock(4) });

  it("practice.mjs plays a practice session to its end", async () => {
    const folder = makeFolder(readPrograms(readFileSync(join(root, "docs/agents.md"), "utf8")));
    try {
      const { code, output } = await runProgram(process.execPath, ["practice.mjs", stack.httpUrl], {
        cwd: folder.path,
      });
      expect(output).to.match(/^\d+ points, (exit|lives_lost)\n$/);
      expect(code).to.equal(0);
    } finally {
      folder.remove();
    }
  });

  it("lockstep.mjs plays by requests only", async () => {
    const folder = makeFolder(readPrograms(readFileSync(join(root, "docs/agents.md"), "utf8")));
    try {
      const { code, output } = await runProgram(process.execPath, ["lockstep.mjs", stack.httpUrl], {
        cwd: folder.path,
      });
      expect(output).to.match(/^\d+ points in \d+ ticks\n$/);
      expect(code).to.equal(0);
    } finally {
      folder.remove();
    }
  });

  it("examples/http/agent.mjs goes from an empty wallet to a payout", async () => {
    let waited: Promise<unknown> | null = null;
    const { code, output } = await runUntilPoints(process.execPath, ["examples/http/agent.mjs", `${stack.httpUrl}/`], {
      // The cooldown before a payout passes on the chain, not in the test.
      onOutput: (text) => {
        if (!text.includes("snapshotScoreSigned 0x")) return;
        waited ??= stack.chain.request("evm_increaseTime", [6]).then(() => stack.chain.request("evm_mine", []));
      },
    });
    await waited;
    expect(output).to.include("\nreplay signed\n");
    expect(output).to.match(/payout included: \d+ points, 0x[0-9a-f]{64}\n$/);
    expect(code).to.equal(0);
  });
});

describe("the output of examples/http/agent.mjs", () => {
  const program = readFileSync(join(root, "examples/http/agent.mjs"), "utf8");

  it("is one line about a service that does not answer", async () => {
    const url = "http://127.0.0.1:1";
    const { code, output } = await runProgram(process.execPath, ["examples/http/agent.mjs", url]);
    expect(output).to.match(/^\S+ does not answer \(.*\); is the service running\?\n$/);
    expect(code).to.equal(1);
  });

  it("is one line about a service, a node or a key that it cannot use", async () => {
    const page = await startServer((_, response) => response.end("<html>"));
    const service = await startServer((_, response) =>
      response.end(JSON.stringify({ ok: true, chainId: 31337, rpcUrl: null, contracts: {} })),
    );
    const run = (url: string, env: NodeJS.ProcessEnv) =>
      runProgram(process.execPath, ["examples/http/agent.mjs", url], { env: { ARCADE_AGENT_KEY: "", ...env } });
    const node = { ARCADE_RPC_URL: `${page.url}/secret` };
    const digits = "a1".repeat(32);
    try {
      const cases: readonly (readonly [url: string, env: NodeJS.ProcessEnv, line: RegExp])[] = [
        [
          page.url,
          {},
          /^\S+ answers \/api\/agent-instructions with 200 and no JSON; is this the service's address\?\n$/,
        ],
        [
          service.url,
          node,
          /^The chain's node does not answer at 127\.0\.0\.1:\d+ \(.*not valid JSON\); set another one in ARCADE_RPC_URL\.\n$/,
        ],
        [service.url, { ARCADE_AGENT_KEY: "0xsecret" }, /^ARCADE_AGENT_KEY: expected 64 hex digits, .*\n$/],
        [service.url, { ...node, ARCADE_AGENT_KEY: ` ${digits}\r\n` }, /^The chain's node does not answer .*\n$/],
        [
          service.url,
          { ARCADE_RPC_URL: "127.0.0.1:1/secret" },
          /^The chain's node does not answer at an address without http:\/\/; .*\n$/,
        ],
      ];
      for (const [url, env, line] of cases) {
        const { code, output } = await run(url, env);
        expect(output).to.match(line).and.not.include("secret");
        expect(code).to.equal(1);
      }
    } finally {
      page.close();
      service.close();
    }
  });

  it("is the place of a bug that an author has put into a copy", async () => {
    const folder = makeFolder({ "agent.mjs": program.replace("// Chain and contracts", "undefined.bug;\n$&") });
    try {
      const { code, output } = await runProgram(process.execPath, ["agent.mjs"], { cwd: folder.path });
      expect(output).to.match(/TypeError: .*bug[\s\S]*agent\.mjs:\d+:\d+/);
      expect(code).to.equal(1);
    } finally {
      folder.remove();
    }
  });
});
