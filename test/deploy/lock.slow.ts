import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { privateKeyToAccount } from "viem/accounts";
import { type LockHolder, lockDeployment } from "../../deploy/folder-lock.ts";
import { openTestnet } from "./job.ts";
import { createTestAccounts, root, startCommand } from "./testnet.ts";

const HOLDER = `
  import { lockDeployment } from "./deploy/folder-lock.ts";
  await lockDeployment(process.argv[1], () => {});
  process.stdout.write("locked");
  setInterval(() => {}, 1000);
`;

describe("lock a deployment", () => {
  it("reports which process holds the lock, and takes it after a killed process lost it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "arcade-lock-"));
    const path = join(folder, "84532");
    const child = spawn(process.execPath, ["--input-type=module", "-e", HOLDER, path], { cwd: root });
    await once(child.stdout, "data");
    const reports: (LockHolder | null)[] = [];
    const release = await lockDeployment(
      path,
      (holder) => {
        reports.push(holder);
        child.kill("SIGKILL");
      },
      20,
    );
    expect(reports.map((holder) => holder?.pid)).to.deep.equal([child.pid]);
    expect(new Date(reports[0]!.since).getTime()).to.be.closeTo(Date.now(), 60_000);
    release();
    await rm(folder, { recursive: true });
  });

  it("lets a second command wait for the first, and then finds everything done", async () => {
    const { people, roles } = createTestAccounts();
    const testnet = await openTestnet({ people, roles });
    try {
      const { folder, rolesPath } = testnet.place;
      const args = ["--network", "baseSepolia", "--rpc", testnet.chain.rpcUrl, "--roles", rolesPath];
      const more = ["--out", folder, "--confirmations", "1", "--no-verify", "--yes", "--json"];
      const start = () => startCommand("deploy", [...args, ...more], { ARCADE_DEPLOYER_KEY: people.deployer.key });
      const release = await lockDeployment(join(folder, "84532"), () => {});
      const commands = [start(), start()];
      // Both wait for this process, so that they compete for the lock from the same moment.
      await Promise.all(
        commands.map(({ child }) => {
          const { promise, resolve } = Promise.withResolvers<void>();
          child.stderr!.on("data", (chunk) => String(chunk).includes(`process ${process.pid}`) && resolve());
          return promise;
        }),
      );
      release();
      const outcomes = await Promise.all(commands.map(({ done }) => done));
      expect(outcomes.map(({ code }) => code)).to.deep.equal([0, 0]);
      const { address } = privateKeyToAccount(people.deployer.key);
      expect(await testnet.chain.client.getTransactionCount({ address })).to.equal(8);
      expect(outcomes[0]!.json!.record).to.deep.equal(outcomes[1]!.json!.record);
    } finally {
      await testnet.close();
    }
  });
});
