import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { command as packContracts } from "../../scripts/pack-contracts.ts";
import { root } from "../../scripts/start/build.ts";
import { readPrograms } from "../examples/run-program.ts";
import { type CommandResult, callCommand } from "../helpers/commands.ts";
import { useTestStack } from "../helpers/suite.ts";

const run = promisify(execFile);

/** What viem infers from the constants; lines that must not compile are marked. */
const CHECKS = `
type IsAny<T> = 0 extends 1 & T ? true : false;
export async function check(client: PublicClient) {
  const { address, abi } = { address: deployments[84532].nft.flappybots, abi: gameNFTAbi };
  const record = await client.readContract({ address, abi, functionName: "recordOf", args: [1n] });
  const known: false = false satisfies IsAny<typeof record>;
  const score: bigint = record.score;
  // @ts-expect-error unknown function
  await client.readContract({ address, abi, functionName: "recordsOf", args: [1n] });
  // @ts-expect-error a token's number is a bigint
  await client.readContract({ address, abi, functionName: "recordOf", args: ["1"] });
  // @ts-expect-error no deployment on this chain
  deployments[1].rewards;
  return [known, score, agentIdentityAbi.length, rewardTokenAbi.length, rewardsV2Abi.length];
}
`;
const NAMES = "agentIdentityAbi, deployments, gameNFTAbi, rewardsV2Abi, rewardTokenAbi";

describe("the contracts' package", function () {
  this.timeout(400_000);
  const stack = useTestStack();
  let folder: string;
  let packed: CommandResult;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "arcade-contracts-"));
    mkdirSync(join(folder, "deployments"));
    const record = { ...stack.deployment, chainId: 84_532 };
    writeFileSync(join(folder, "deployments/84532.json"), JSON.stringify(record));
    const args = ["--deployments", join(folder, "deployments"), "--out", folder, "--json"];
    packed = await callCommand(packContracts, args, { ARCADE_DATA_DIR: stack.dataDir });
    expect(packed.code, packed.err).to.equal(0);
    writeFileSync(join(folder, "package.json"), "{}");
    const flags = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
    await run("npm", ["install", ...flags, packed.json.file], { cwd: folder });
    symlinkSync(join(root, "node_modules/viem"), join(folder, "node_modules/viem"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function compile(name: string, text: string): Promise<string> {
    writeFileSync(join(folder, name), text);
    const flags = [
      "--strict",
      "--noEmit",
      "--target",
      "es2022",
      "--module",
      "nodenext",
      "--skipLibCheck",
      "--types",
      "",
    ];
    return run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), ...flags, name], { cwd: folder }).then(
      ({ stdout }) => stdout,
      (error: { readonly stdout: string }) => error.stdout,
    );
  }
  const execute = async (name: string, text: string): Promise<string> => {
    writeFileSync(join(folder, name), text);
    return (await run(process.execPath, [name], { cwd: folder })).stdout;
  };

  it("is packed with the addresses of every deployed chain", () => {
    expect(packed.json.chainIds).to.deep.equal([31_337, 84_532]);
    const read = (name: string) => JSON.parse(readFileSync(join(folder, "node_modules", name), "utf8"));
    expect(read("@agent-arcade/contracts/package.json")).to.not.have.any.keys("dependencies", "peerDependencies");
    const descriptor = read("@agent-arcade/contracts/clear-signing/calldata-RewardsV2.json");
    const address = stack.deployment.rewards;
    expect(descriptor.context.contract.deployments).to.deep.equal([
      { chainId: 31_337, address },
      { chainId: 84_532, address },
    ]);
  });

  it("has types from which viem infers arguments and results, by import and by require", async () => {
    const viem = 'import type { PublicClient } from "viem";\n';
    expect(await compile("esm.mts", `import { ${NAMES} } from "@agent-arcade/contracts";\n${viem}${CHECKS}`)).to.equal(
      "",
    );
    const required = `import contracts = require("@agent-arcade/contracts");\n${viem}const { ${NAMES} } = contracts;\n`;
    expect(await compile("cjs.cts", `${required}${CHECKS}`)).to.equal("");
  });

  it("reads a contract of the local chain by the program of its README, by import and by require", async () => {
    const readme = readFileSync(join(root, "contracts/README.md"), "utf8");
    const program = readPrograms(readme)["float.mjs"]!.replace("http://127.0.0.1:8545", stack.chain.rpcUrl);
    const float = await execute("float.mjs", program);
    expect(float).to.match(/^[1-9]\d{20,}n\n$/);
    const required = program
      .replace(/^import (\{.*\}) from (".*");$/gm, "const $1 = require($2);")
      .replace(/^const float = [\s\S]*$/m, (rest) => `(async () => {\n${rest}})();\n`);
    expect(await execute("float.cjs", required)).to.equal(float);
    const found = 'console.log(require("@agent-arcade/contracts/clear-signing/eip712-GameNFT.json").metadata.owner);';
    expect(await execute("descriptor.cjs", found)).to.equal("Agent Arcade\n");
  });
});
