import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { getAddress } from "viem";
import { readRoles } from "../../deploy/roles.ts";
import { games } from "../../games/index.ts";
import { command as deploy } from "../../scripts/deploy.ts";
import { readRecord } from "../../scripts/doctor/target.ts";
import { command as doctor } from "../../scripts/doctor.ts";
import { callCommand } from "../helpers/commands.ts";
import { useTestStack } from "../helpers/suite.ts";

const createAddress = (number: number) => getAddress(`0x${String(number).padStart(40, "1")}`);
const SIGNERS = {
  identity: createAddress(5),
  score: createAddress(6),
  nft: Object.fromEntries(games.map(({ slug }, index) => [slug, createAddress(7 + index)])),
};
const ROLES = {
  ...{ admin: createAddress(1), guardian: createAddress(2), operator: createAddress(3), treasury: createAddress(4) },
  signers: SIGNERS,
  publicUrl: "https://arcade.example",
};

describe("a file of --roles", () => {
  const stack = useTestStack();
  async function run(command: typeof deploy, roles: object, ...flags: readonly string[]) {
    const path = join(stack.dataDir, "roles.json");
    await writeFile(path, JSON.stringify(roles));
    const args = ["--network", "local", "--rpc", stack.chain.rpcUrl, "--roles", path, ...flags];
    return await callCommand(command, args, { ARCADE_DATA_DIR: stack.dataDir });
  }
  const plan = (roles: object) => run(deploy, roles, "--plan", "--out", join(stack.dataDir, "out"));

  it("is shown by the plan of a deployment, with the limits and the cost", async () => {
    const { code, out, err } = await plan({ ...ROLES, rewards: { payoutCooldownSeconds: 9 } });
    expect(code, err).to.equal(0);
    for (const text of [
      "metadata at https://arcade.example, royalty 2.5 %, 1 ARCD per point",
      "10,000,000 ARCD a payout, cooldown 9 s, minimum score 1, maximum per session 10000000",
      ...Object.entries(SIGNERS.nft).map(([slug, address]) => `signer ${slug.padEnd(12)}  ${address}`),
    ])
      expect(out).to.include(text);
    expect(out).to.match(/^ {2}8 transactions, [\d,]{10} gas at [\d.]+ gwei: 0\.0\d+ ETH$/m);
  });

  it("is rejected with all its faults before anything is sent", async () => {
    const low = "minScore: from 1 to ";
    const one = await plan({ ...ROLES, rewards: { minScore: "0" } });
    expect(one.code).to.equal(1);
    expect(one.err).to.include(`Nothing was sent: the parameters have a fault: ${low}`);
    const two = await plan({ ...ROLES, rewards: { minScore: "0", payoutCooldownSeconds: 0 } });
    expect(two.err).to.include(`the parameters have 2 faults: payoutCooldownSeconds: from 1 to `).and.include(low);
  });

  it("may begin with a byte-order mark, and a folder is not taken for one", async () => {
    const path = join(stack.dataDir, "marked.json");
    await writeFile(path, `\ufeff${JSON.stringify(ROLES)}`);
    expect((await readRoles(path)).roles.publicUrl).to.equal(ROLES.publicUrl);
    const message = await readRoles(stack.dataDir).catch((error: Error) => error.message);
    expect(message).to.include("it cannot be read (EISDIR)");
  });

  it("is compared with the chain by the doctor, which prints the entries that differ", async () => {
    const { code, out } = await run(doctor, ROLES, "--all");
    expect(code).to.equal(1);
    const views = ["maxPayout", "minScore", "maxScorePerSession", "scoreToTokenRate", "payoutCooldown"];
    for (const limit of ["the daily cap", "the weekly cap", ...views])
      expect(out).to.match(new RegExp(`✓ rewards: ${limit} is \\d+( ARCD)?, as decided`));
    const changes = out.slice(out.indexOf("the file of --roles needs:")).match(/^ {4}(\S+): "\S+"$/gm);
    const names = (changes ?? []).map((line) => line.trim().split(":")[0]);
    const signers = ["identity", "score", ...games.map(({ slug }) => `nft.${slug}`)].map((name) => `signers.${name}`);
    expect(names).to.have.members([...["admin", "guardian", "operator", "treasury", "publicUrl"], ...signers]);
  });

  it("is not enough without the addresses of the deployment", async () => {
    const error = await readRecord(99_999, undefined).catch((cause: Error) => cause);
    expect(error)
      .to.have.property("message")
      .that.matches(/No addresses file found: \S+deploy\/deployments\/99999\.json$/);
  });
});
