import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { type Abi, type PrivateKeyAccount, stringToHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { NETWORKS } from "../../deploy/networks.ts";
import type { DeploymentRecord } from "../../deploy/record.ts";
import { createTypedData } from "../../domain/typed-data/messages.ts";
import { runChecks } from "../../scripts/doctor/run-checks.ts";
import { loadTarget } from "../../scripts/doctor/target.ts";
import { LIFECYCLE_ABI } from "./actions.ts";
import { createWorkspace, FUNDED_BALANCE_WEI } from "./job.ts";
import { createTestAccounts, runCommand, startAnvil, toSecretsEnv } from "./testnet.ts";
import { deployTimelock } from "./timelock.ts";

const DAY_SECONDS = 86_400;
const CHAIN_ID = 8_453;
const SCORE = 12_000n;

/** The whole sequence on a stand-in for Base, with a block every two seconds and a timelock as the admin. */
describe("from deployment to recovery", () => {
  it("deploys, hands over, rotates, is paused over a leaked key, and recovers by only the timelock", async () => {
    const chain = await startAnvil({ chainId: CHAIN_ID, blockSeconds: 2 });
    const { people, roles } = createTestAccounts();
    const [proposer, player] = [generatePrivateKey(), generatePrivateKey()].map((key) => privateKeyToAccount(key));
    const [second, third] = [generatePrivateKey(), generatePrivateKey()].map((key) => ({
      ...privateKeyToAccount(key),
      key,
    }));
    for (const one of [people.deployer, people.guardian, people.operator, proposer!, player!]) {
      await chain.client.setBalance({ address: one.address, value: FUNDED_BALANCE_WEI });
    }
    const timelock = await deployTimelock(chain, proposer!);
    const { folder, rolesPath, remove } = await createWorkspace({ ...roles, admin: timelock.address });
    try {
      // Deployment and hand-over, by the command.
      const args = ["--network", "base", "--rpc", chain.rpcUrl, "--roles", rolesPath, "--out", folder];
      const more = ["--confirmations", "1", "--no-verify", "--yes", "--json"];
      const deployed = await runCommand("deploy", [...args, ...more], { ARCADE_DEPLOYER_KEY: people.deployer.key });
      expect(deployed.code, deployed.stderr).to.equal(0);
      const { plan, handOver } = deployed.json as unknown as {
        plan: { faults: string[]; warnings: string[] };
        handOver: { what: string; holds: boolean }[];
      };
      expect([...plan.faults, ...plan.warnings]).to.deep.equal([]);
      expect(handOver.filter(({ holds }) => !holds)).to.deep.equal([]);
      expect(handOver.filter(({ what }) => what.includes(`the admin is ${timelock.address}`))).to.have.length(4);
      const recordPath = join(folder, `${CHAIN_ID}.json`);
      const record = JSON.parse(await readFile(recordPath, "utf8")) as DeploymentRecord;

      const executeByTimelock = (functionName: string, callArgs: readonly unknown[] = []): Promise<void> =>
        timelock.execute(record.rewards, LIFECYCLE_ABI as Abi, functionName, callArgs);
      /** "sent", or the message of the rejection. */
      const send = async (from: PrivateKeyAccount, functionName: string, callArgs: readonly unknown[] = []) => {
        const address = functionName.startsWith("mint") ? record.identity : record.rewards;
        const call = { account: from, address, abi: LIFECYCLE_ABI, functionName, args: callArgs };
        try {
          const hash = await chain.client.writeContract(call as never);
          const { status } = await chain.client.waitForTransactionReceipt({ hash });
          return status === "success" ? "sent" : "reverted";
        } catch (error) {
          return (error as Error).message;
        }
      };
      const getDeadline = async (): Promise<bigint> => (await chain.client.getBlock()).timestamp + 600n;
      let sequence = 0;
      const snapshot = async (signer: PrivateKeyAccount): Promise<string> => {
        const hash = `0x${(++sequence).toString(16).padStart(64, "0")}` as const;
        const [wallet, gameId] = [player!.address, stringToHex("flappybots", { size: 32 })];
        const message = { wallet, gameId, score: SCORE, gameSessionHash: hash, deadline: await getDeadline() };
        const context = { chainId: CHAIN_ID, verifyingContract: record.rewards };
        const signature = await signer.signTypedData(createTypedData("Snapshot", context, message) as never);
        return await send(player!, "snapshotScoreSigned", [wallet, gameId, SCORE, hash, message.deadline, signature]);
      };
      const findErrors = async (scoreKey: string) => {
        const secrets = { ...toSecretsEnv(people), ARCADE_SCORE_SIGNER_KEY: scoreKey };
        const target = await loadTarget({ network: NETWORKS.base, rpcUrl: chain.rpcUrl }, recordPath, secrets);
        const now = Number((await chain.client.getBlock()).timestamp) * 1000;
        const findings = await runChecks({ ...target, nowMs: () => now });
        return findings.filter(({ status }) => status === "fault").map(({ id }) => id);
      };
      const advanceTime = async (seconds: number): Promise<void> => {
        await chain.client.increaseTime({ seconds });
        await chain.client.mine({ blocks: 1 });
      };

      // Without faults.
      const mint = { to: player!.address, metadataDigest: `0x${"ab".repeat(32)}`, nonce: 0n };
      const deadline = await getDeadline();
      const context = { chainId: CHAIN_ID, verifyingContract: record.identity };
      const data = createTypedData("MintIdentity", context, { ...mint, deadline });
      const signature = await people.identity.signTypedData(data as never);
      const minted = await send(player!, "mintIdentityWithSignature", [
        mint.to,
        mint.metadataDigest,
        deadline,
        signature,
      ]);
      expect(minted).to.equal("sent");
      expect(await snapshot(people.score)).to.equal("sent");
      expect(await findErrors(people.score.key)).to.deep.equal([]);

      // Rotation: the second key is valid beside the first after the delays of timelock and contract.
      await executeByTimelock("scheduleSigner", [second!.address, false]);
      expect(await snapshot(second!)).to.include("revert");
      await advanceTime(2 * DAY_SECONDS);
      expect(await snapshot(second!)).to.equal("sent");
      await executeByTimelock("promoteSigner");
      expect(await snapshot(people.score)).to.equal("sent");
      expect(await send(people.guardian, "revokeSigner", [people.score.address])).to.equal("sent");
      // The next key is prepared as the alternate.
      await executeByTimelock("scheduleSigner", [third!.address, false]);
      await advanceTime(2 * DAY_SECONDS);

      // The second key leaks: everything stops in one block, and neither thief nor guardian starts it again.
      expect(await send(people.guardian, "pause")).to.equal("sent");
      expect(await send(people.guardian, "revokeSigner", [second!.address])).to.equal("sent");
      expect(await snapshot(second!)).to.include("revert");
      expect(await snapshot(third!)).to.include("revert");
      expect(await send(people.operator, "payout", [player!.address])).to.include("revert");
      expect(await findErrors(third!.key)).to.include("pause.rewards");
      expect(await send(people.guardian, "unpause")).to.include("revert");
      expect(await send(proposer!, "unpause")).to.include("revert");

      // Recovery: the timelock unpauses, the alternate signs, the leaked key does not, players are paid.
      await executeByTimelock("unpause");
      expect(await snapshot(second!)).to.include("revert");
      expect(await snapshot(third!)).to.equal("sent");
      await executeByTimelock("promoteSigner");
      expect(await snapshot(third!)).to.equal("sent");
      expect(await findErrors(third!.key)).to.deep.equal([]);
      expect(await send(people.operator, "payout", [player!.address])).to.equal("sent");
      const { scoreToTokenRate } = NETWORKS.base.createParameters(roles).rewards;
      const balance = {
        address: record.token,
        abi: LIFECYCLE_ABI,
        functionName: "balanceOf",
        args: [player!.address],
      } as const;
      expect(await chain.client.readContract(balance)).to.equal(5n * SCORE * scoreToTokenRate);
    } finally {
      await chain.close();
      await remove();
    }
  });
});
