import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { command as newBot } from "../../scripts/new-bot.ts";
import { command as packClient } from "../../scripts/pack-client.ts";
import { root } from "../../scripts/start/build.ts";
import { createFastClock } from "../../testing/clock.ts";
import { readPrograms, runProgram, runUntilPoints } from "../examples/run-program.ts";
import { type CommandResult, callCommand } from "../helpers/commands.ts";
import { useTestStack } from "../helpers/suite.ts";
import { waitUntil } from "../helpers/wait-until.ts";

const run = promisify(execFile);

/** An author's code against the package. Every line that must not compile is marked. */
const CONSUMER = `
import { ArcadeApiError, createClient, findSnapshotEvent, fromEthers, fromViem, playSession, type Answer, type FrameBody, type Input, type PlayBot, type RouteName } from "@agent-arcade/client";
import { verifyReplay, type Replay } from "@agent-arcade/client/replay";
import { makeEnv, makeVectorEnv } from "@agent-arcade/client/training";
import { createPublicClient, createWalletClient, http } from "viem";
import { baseSepolia, celo } from "viem/chains";

type IsAny<T> = 0 extends 1 & T ? true : false;
export const known: readonly false[] = [
  false satisfies IsAny<Answer<"sessions.start">["session"]["score"]>,
  false satisfies IsAny<FrameBody["pawn"]>,
  false satisfies IsAny<Replay["seed"]>,
];
export const anyAnswers: { readonly [N in RouteName as IsAny<Answer<N>> extends true ? N : never]: N } = {};
export const anyInputs: { readonly [N in RouteName as IsAny<Input<N>> extends true ? N : never]: N } = {};
const transport = http("http://127.0.0.1:1");
const wallet = fromViem(createWalletClient({ account: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", transport }), createPublicClient({ transport }));
const client = createClient({ baseUrl: "http://127.0.0.1:1", wallet });
const account = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const onBase = createPublicClient({ chain: baseSepolia, transport });
const onCelo = createPublicClient({ chain: celo, transport });
export const publicWallets = [
  fromViem(createWalletClient({ account, chain: baseSepolia, transport }), onBase),
  fromViem(createWalletClient({ account, chain: celo, transport }), onCelo),
];
export const findOnBase = (hash: \`0x\${string}\`) => findSnapshotEvent(onBase, { rewards: account, gameSessionHash: hash });
const bot: PlayBot = ({ pawn }) => (pawn.y > 1 ? { t: "action", action: "FLAP" } : null);
// @ts-expect-error a bot answers with a message
export const wrongBot: PlayBot = () => 1;
export async function play(replay: Replay): Promise<number> {
  const session = await client.sessions.start({ slug: "flappybots", source: "browser_ws" });
  // @ts-expect-error there is no such source
  await client.sessions.start({ slug: "flappybots", source: "nobody" });
  const { score } = await playSession({ client, session, bot });
  const { call } = await client.identity.register({ walletAddress: wallet.address, agentName: "A" });
  const to: \`0x\${string}\` = call.to;
  const env = makeEnv("flappybots");
  const lanes = makeVectorEnv("shellrunners", 2);
  return ((await verifyReplay(replay)).finalScore ?? 0) + score + env.step(0).reward + lanes.count + to.length;
}
export const code = (error: unknown): string => (error instanceof ArcadeApiError ? error.code : "");
export { fromEthers };
`;

describe("the client's package", function () {
  this.timeout(400_000);
  let folder: string;
  let starter: string;
  let packed: CommandResult;
  let made: CommandResult;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "arcade-package-"));
    starter = join(folder, "bot");
    packed = await callCommand(packClient, ["--out", join(folder, "tarball"), "--json"]);
    made = await callCommand(newBot, [starter, "--game", "flappybots", "--json"]);
    expect(made.code, made.err).to.equal(0);
    await install(starter, made.json.files.at(-1));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Like `npm install` without a network: unpacks the tarball and links the other packages. */
  async function install(directory: string, tarball: string): Promise<void> {
    const target = join(directory, "node_modules/@agent-arcade/client");
    mkdirSync(target, { recursive: true });
    await run("tar", ["-xzf", join(directory, tarball), "-C", target, "--strip-components=1"]);
    for (const name of ["viem", "ws"])
      symlinkSync(join(root, "node_modules", name), join(directory, "node_modules", name));
  }

  const runNode = async (args: readonly string[], name: string, text: string): Promise<string> => {
    writeFileSync(join(starter, name), text);
    return (await run(process.execPath, [...args, name], { cwd: starter })).stdout;
  };

  async function compile(files: { readonly [name: string]: string }, options: object): Promise<string> {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(starter, name), text);
    writeFileSync(
      join(starter, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          noEmit: true,
          target: "es2022",
          module: "nodenext",
          lib: ["es2024", "dom"],
          types: [],
          ...options,
        },
        files: Object.keys(files),
      }),
    );
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    return run(process.execPath, [tsc, "-p", starter]).then(
      ({ stdout }) => stdout,
      (error: { readonly stdout: string }) => error.stdout,
    );
  }

  it("is packed with a browser build of at most 40 kB", () => {
    expect(packed.code, packed.err).to.equal(0);
    expect(packed.json).to.include({ ok: true });
    expect(packed.json.browser.gzipBytes).to.be.within(10_000, 40_000);
    expect(packed.json.browser.chainModules, "modules for a chain in it").to.equal(0);
  });

  it("comes with a short starter, and does not overwrite a folder that is not empty", async () => {
    expect(readFileSync(join(starter, "bot.js"), "utf8").split("\n").length).to.be.at.most(40);
    const again = await callCommand(newBot, [starter]);
    expect(again.code).to.equal(2);
    expect(again.err).to.include("expected a new or empty folder");
  });

  it("has types with which an author's program compiles without the service", async () => {
    expect(await compile({ "consumer.ts": CONSUMER }, { skipLibCheck: true })).to.equal("");
  });

  it("has types for a CommonJS program whose compiler may not require an ES module", async () => {
    // viem's types reject such a program, so it does not import viem.
    const text = `
      import { createClient, type FrameBody } from "@agent-arcade/client";
      import { makeEnv } from "@agent-arcade/client/training";
      import { verifyReplay } from "@agent-arcade/client/replay";
      export const tick = (frame: FrameBody): number => frame.tick;
      export const parts = [createClient({ baseUrl: "http://127.0.0.1:1" }).sessions, makeEnv("flappybots"), verifyReplay];`;
    expect(await compile({ "consumer.cts": text }, { skipLibCheck: true, module: "node16" })).to.equal("");
  });

  it("can be required when ES modules cannot, as by jest, and is one instance when they can", async () => {
    const text = `
      const names = ["@agent-arcade/client", "@agent-arcade/client/training", "@agent-arcade/client/replay"];
      const [client, ...others] = names.map((name) => require(name));
      const { version } = require("@agent-arcade/client/package.json");
      import(names[0]).then(({ createClient }) => {
        const known = [client.createClient, others[0].makeEnv, others[1].verifyReplay].every(Boolean);
        console.log(known, typeof version, createClient === client.createClient);
      });`;
    expect(await runNode([], "require.cjs", text)).to.equal("true string true\n");
    expect(await runNode(["--no-experimental-require-module"], "require.cjs", text)).to.equal("true string false\n");
  });

  it("refers to files that exist, also for resolvers that do not support exports", () => {
    const folder = join(starter, "node_modules/@agent-arcade/client");
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const listPaths = (value: unknown): string[] =>
      typeof value === "string" ? [value] : Object.values(value ?? {}).flatMap(listPaths);
    const paths = listPaths([manifest.exports, manifest.main, manifest.module, manifest.types, manifest.typesVersions]);
    expect(paths.length).to.be.greaterThan(20);
    expect(paths.filter((path) => !existsSync(join(folder, path)))).to.deep.equal([]);
  });

  it("has declarations that import only each other and viem", () => {
    const types = join(starter, "node_modules/@agent-arcade/client/types");
    const files = globSync("**/*.d.ts", { cwd: types });
    expect(files).to.include.members(["client/index.d.ts", "client/api-types.d.ts"]);
    const missing = files.flatMap((file) => {
      const text = readFileSync(join(types, file), "utf8");
      const names = [...text.matchAll(/(?:from\s+|import\()"([^"]+)"/g)].map(([, name]) => name!);
      const isThere = (name: string): boolean =>
        name === "viem" || existsSync(join(types, dirname(file), name.replace(/\.js$/, ".d.ts")));
      return names.filter((name) => !isThere(name)).map((name) => `${file}: ${name}`);
    });
    expect(missing).to.deep.equal([]);
  });

  describe("beside a service", () => {
    const stack = useTestStack({ clock: createFastClock(4) });

    it("plays the starter's bot until it is paid", async () => {
      let waited: Promise<unknown> | null = null;
      const { code, output } = await runUntilPoints(process.execPath, ["play.js", stack.httpUrl], {
        cwd: starter,
        // The cooldown before a payout passes on the chain, not in the test.
        onOutput: (text) => {
          if (!text.includes("snapshot: ")) return;
          waited ??= stack.chain.request("evm_increaseTime", [6]).then(() => stack.chain.request("evm_mine", []));
        },
      });
      await waited;
      expect(output)
        .to.match(/played flappybots: [1-9]\d* points, \w+\nreplay: SIGNED_BY_PLAYER, /)
        .and.match(/paid: [1-9]\d* ARCD\n$/);
      expect(code).to.equal(0);
    });

    it("reports in one line that no service is at the address of a starter", async () => {
      for (const url of ["http://127.0.0.1:1", "here"]) {
        const { code, output } = await runProgram(process.execPath, ["play.js", url], { cwd: starter });
        expect(output).to.match(/^.*(is the service running there\?|received "here")\n$/);
        expect(code).to.equal(1);
      }
    });

    it("continues the game of a starter that was killed while it played", async () => {
      const killed = spawn(process.execPath, ["play.js", stack.httpUrl], { cwd: starter, stdio: "ignore" });
      const ended = once(killed, "exit");
      const live = `${stack.httpUrl}/api/games/flappybots/sessions/live`;
      await waitUntil(async () => (await (await fetch(live)).json()).items[0]?.tick > 0);
      killed.kill("SIGKILL");
      await ended;
      const [{ sessionId }] = (await (await fetch(live)).json()).items;
      const { code, output } = await runProgram(process.execPath, ["play.js", stack.httpUrl], { cwd: starter });
      expect(output).to.match(/played flappybots: \d+ points, \w+\nreplay: SIGNED_BY_PLAYER, /);
      expect(code).to.equal(0);
      const { session } = await (await fetch(`${live.replace("live", sessionId)}`)).json();
      expect(session.endReason).to.equal("lives_lost");
    });

    it("plays the starter's bot looking ahead, by the program of docs/agents.md", async () => {
      const program = readPrograms(readFileSync(join(root, "docs/agents.md"), "utf8"))["far.mjs"]!;
      writeFileSync(join(starter, "far.mjs"), program);
      const { code, output } = await runProgram(process.execPath, ["far.mjs", stack.httpUrl], { cwd: starter });
      expect(output).to.match(/^\d+ points\n$/);
      expect(code).to.equal(0);
    });
  });
});
