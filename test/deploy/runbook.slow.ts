import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { type Hex, type PrivateKeyAccount, parseAbi, stringToHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { DeploymentRecord } from "../../deploy/record.ts";
import { createTypedData } from "../../domain/typed-data/messages.ts";
import { command as adminCommand } from "../../scripts/admin.ts";
import { command as doctorCommand } from "../../scripts/doctor.ts";
import { callCommand } from "../helpers/commands.ts";
import { LIFECYCLE_ABI } from "./actions.ts";
import { createDeployOptions, openTestnet, runDeployment, type Testnet } from "./job.ts";
import { createTestAccounts, root, toSecretsEnv } from "./testnet.ts";

const VIEWS = parseAbi([
  "function mintSigned(address wallet, uint256 agentId, uint256 score, uint256 deadline, bytes signature) returns (uint256)",
  "function upgradeSigned(address wallet, uint256 agentId, uint256 score, uint256 deadline, bytes signature) returns (uint256)",
  "function recordOf(uint256 tokenId) view returns ((uint96 score, uint8 tier, uint40 mintedAt, uint40 upgradedAt, uint32 upgrades))",
  "struct Session { address wallet; bytes32 gameSessionHash; }",
  "struct Points { address wallet; uint256 points; }",
  "function cancelSessions(Session[] list)",
  "function voidPoints(Points[] list)",
  "function setCaps(uint256 dailyCap, uint256 weeklyCap)",
  "function caps() view returns (uint256 dailyCap, uint256 weeklyCap)",
  "function isSigner(address account) view returns (bool)",
  "function paused() view returns (bool)",
  "function floatBalance() view returns (uint256)",
  "function defaultAdmin() view returns (address)",
  "function hasRole(bytes32 role, address account) view returns (bool)",
  "function GUARDIAN_ROLE() view returns (bytes32)",
  "function OPERATOR_ROLE() view returns (bytes32)",
]);
const ABI = [...LIFECYCLE_ABI, ...VIEWS] as const;
const CHAIN_ID = 84_532;
const GAME = "flappybots";
const MAX_RECORD = 2n ** 32n - 1n;
const TOKEN = 10n ** 18n;
const DELAY_SECONDS = 2 * 86_400 + 1;
const DOCUMENT = readFileSync(join(root, "docs/contracts.md"), "utf8");

interface Line {
  readonly words: readonly string[];
  /** The key's holder, which the document has after `#`. */
  readonly key: string;
  readonly isAfterDelay: boolean;
}

/** The command lines below a heading of docs/contracts.md. */
function readSteps(heading: string): readonly Line[] {
  const start = DOCUMENT.indexOf(`\n### ${heading}\n`);
  if (start < 0) throw new Error(`docs/contracts.md has no heading "${heading}"`);
  const [, block] = /```sh\n([\s\S]*?)```/.exec(DOCUMENT.slice(start))!;
  return block!
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [text, comment = ""] = line.split("#");
      return {
        words: text!.trim().split(/\s+/),
        key: comment.trim().split(/[,: ]/)[0]!,
        isAfterDelay: /after/.test(comment),
      };
    });
}

describe("the runbook of docs/contracts.md", () => {
  const { people, roles } = createTestAccounts();
  const [next, newGuardian, newAdmin, player] = [1, 2, 3, 4].map(() => {
    const key = generatePrivateKey();
    return { ...privateKeyToAccount(key), key };
  }) as [typeof people.score, typeof people.score, typeof people.score, typeof people.score];
  let testnet: Testnet;
  let chain: Testnet["chain"];
  let record: DeploymentRecord;
  let recordPath: string;
  let snapshot: Hex;
  let sequence = 0;

  before(async () => {
    const funded = [people.deployer, people.admin, people.guardian, people.treasury, people.operator, newAdmin, player];
    testnet = await openTestnet({ people, roles }, funded);
    ({ chain } = testnet);
    const options = createDeployOptions(chain, people.deployer, roles, testnet.place.folder);
    ({ recordPath } = options);
    record = await runDeployment(options);
  });
  after(() => testnet.close());
  beforeEach(async () => {
    snapshot = await chain.client.snapshot();
  });
  afterEach(() => chain.client.revert({ id: snapshot }));

  const read = (functionName: string, args: readonly unknown[] = [], address = record.rewards): Promise<unknown> =>
    chain.client.readContract({ address, abi: ABI, functionName, args } as never);
  /** `sent`, or the message of the rejection. */
  const send = async (
    account: PrivateKeyAccount,
    functionName: string,
    args: readonly unknown[],
    address = record.rewards,
  ) => {
    try {
      const hash = await chain.client.writeContract({ account, address, abi: ABI, functionName, args } as never);
      return (await chain.client.waitForTransactionReceipt({ hash })).status === "success" ? "sent" : "reverted";
    } catch (error) {
      return (error as Error).message;
    }
  };
  const getDeadline = async (): Promise<bigint> => (await chain.client.getBlock()).timestamp + 600n;
  const sign = (key: PrivateKeyAccount, type: Parameters<typeof createTypedData>[0], contract: Hex, message: object) =>
    key.signTypedData(
      createTypedData(
        type,
        { chainId: CHAIN_ID, verifyingContract: contract, slug: GAME } as never,
        message as never,
      ) as never,
    );
  const snapshotScore = async (key: PrivateKeyAccount, hash = `0x${(++sequence).toString(16).padStart(64, "0")}`) => {
    const [wallet, gameId, score] = [player.address, stringToHex(GAME, { size: 32 }), 120n];
    const message = { wallet, gameId, score, gameSessionHash: hash, deadline: await getDeadline() };
    const signature = await sign(key, "Snapshot", record.rewards, message);
    return send(player, "snapshotScoreSigned", [wallet, gameId, score, hash, message.deadline, signature]);
  };
  const mintIdentity = async () => {
    const [to, metadataDigest, deadline] = [player.address, `0x${"ab".repeat(32)}`, await getDeadline()];
    const signature = await sign(people.identity, "MintIdentity", record.identity, {
      to,
      metadataDigest,
      nonce: 0n,
      deadline,
    });
    const args = [to, metadataDigest, deadline, signature];
    expect(await send(player, "mintIdentityWithSignature", args, record.identity)).to.equal("sent");
  };
  const sendRecord = async (key: PrivateKeyAccount, type: "MintGameNft" | "UpgradeGameNft", score: bigint) => {
    const message = { wallet: player.address, agentId: 1n, score, deadline: await getDeadline() };
    const signature = await sign(key, type, record.nft[GAME]!, message);
    const args = [message.wallet, message.agentId, score, message.deadline, signature];
    return send(player, type === "MintGameNft" ? "mintSigned" : "upgradeSigned", args, record.nft[GAME]);
  };

  /** Runs the document's commands unchanged, each with the one key in its comment. */
  async function follow(heading: string, values: { readonly [name: string]: string }): Promise<void> {
    const names = {
      NET: `--rpc ${chain.rpcUrl} --deployment ${recordPath}`,
      GAME,
      ROLES: testnet.place.rolesPath,
      ...values,
    };
    const keys: { readonly [holder: string]: NodeJS.ProcessEnv } = {
      guardian: { ARCADE_GUARDIAN_KEY: people.guardian.key },
      admin: { ARCADE_ADMIN_KEY: people.admin.key },
      new: { ARCADE_ADMIN_KEY: newAdmin.key },
      treasury: { ARCADE_TREASURY_KEY: people.treasury.key },
      any: toSecretsEnv(people),
    };
    const none = { ARCADE_GUARDIAN_KEY: "", ARCADE_ADMIN_KEY: "", ARCADE_TREASURY_KEY: "" };
    for (const { words, key, isAfterDelay } of readSteps(heading)) {
      if (isAfterDelay) {
        await chain.client.increaseTime({ seconds: DELAY_SECONDS });
        await chain.client.mine({ blocks: 1 });
      }
      const filled = words.flatMap((word) =>
        word
          .replaceAll(/\$(\w+)/g, (_, name: string) => {
            const text = names[name as keyof typeof names];
            if (text === undefined) throw new Error(`${heading}: no value for ${word}`);
            return text;
          })
          .split(" "),
      );
      const [npm, run, command, dashes, ...args] = filled;
      const line = filled.join(" ");
      expect([npm, run, dashes], line).to.deep.equal(["npm", "run", "--"]);
      if (command === "doctor") {
        const examined = await callCommand(doctorCommand, [...args, "--json"], toSecretsEnv(people));
        expect(examined.json.findings.length, examined.err).to.be.greaterThan(20);
        continue;
      }
      expect(command, line).to.equal("admin");
      // The command reads the service's store (test/scripts/admin-scores.test.ts), so this test writes its output.
      if (args[0] === "forged") continue;
      const { code, json, err } = await callCommand(adminCommand, [...args, "--json", "--yes"], {
        ...none,
        ...keys[key],
      });
      expect(code, `${line}\n${err}`).to.equal(0);
      expect(json.status, line).to.equal("sent");
    }
  }

  it("has a test for every block of commands", () => {
    const blocks = [...DOCUMENT.matchAll(/\n### (.+)\n(?:(?!\n### |\n## )[\s\S])*?```sh\n/g)].map(
      ([, heading]) => heading,
    );
    expect(blocks).to.have.members([
      "Rotate a signer, without downtime",
      "Transfer the admin role",
      "The score key has leaked",
      "A game NFT key has leaked",
      "The operator's key has leaked",
      "The guardian's key has leaked or was misused",
      "The float is stuck or empty",
    ]);
  });

  it("rotates a signer without downtime", async () => {
    await follow("Rotate a signer, without downtime", { NEW: next.address, OLD: people.score.address });
    expect(await snapshotScore(next)).to.equal("sent");
    expect(await snapshotScore(people.score)).to.include("reverted");
  });

  it("hands the admin's role on", async () => {
    await follow("Transfer the admin role", { NEW_ADMIN: newAdmin.address });
    for (const address of [record.rewards, record.identity, ...Object.values(record.nft)])
      expect(await read("defaultAdmin", [], address)).to.equal(newAdmin.address);
  });

  it("stops a thief with the score key, cancels what it signed, and opens again with a new key", async () => {
    const stolen = `0x${"7".repeat(64)}` as const;
    expect(await snapshotScore(people.score)).to.equal("sent");
    expect(await read("getScorebank", [player.address])).to.equal(120n);
    const forged = join(testnet.place.folder, "forged.txt");
    writeFileSync(forged, `${player.address}:100\n`);
    await follow("The score key has leaked", {
      BLOCK: "1",
      FORGED: forged,
      LEAKED: people.score.address,
      NEW: next.address,
      WALLET: player.address,
      SESSION_HASH: stolen,
    });
    expect(await read("paused")).to.equal(false);
    expect(await read("getScorebank", [player.address])).to.equal(20n);
    expect(await snapshotScore(people.score)).to.include("reverted");
    expect(await snapshotScore(next, stolen)).to.include("reverted");
    expect(await snapshotScore(next)).to.equal("sent");
    expect(await read("caps")).to.deep.equal([20_000n * TOKEN, 100_000n * TOKEN]);
  });

  it("stops a thief with an NFT key, annuls its record, and lets the agent continue with its true score", async () => {
    await mintIdentity();
    const key = people.nft[GAME]!;
    expect(await sendRecord(key, "MintGameNft", MAX_RECORD)).to.equal("sent");
    await follow("A game NFT key has leaked", { LEAKED: key.address, NEW: next.address, TOKEN_ID: "1" });
    expect(await read("recordOf", [1n], record.nft[GAME])).to.include({ score: 0n, tier: 0 });
    expect(await sendRecord(key, "UpgradeGameNft", MAX_RECORD)).to.include("reverted");
    expect(await sendRecord(next, "UpgradeGameNft", 500n)).to.equal("sent");
    expect(await read("recordOf", [1n], record.nft[GAME])).to.include({ score: 500n });
  });

  it("replaces a stolen operator", async () => {
    await follow("The operator's key has leaked", { LEAKED: people.operator.address, NEW: next.address });
    const role = await read("OPERATOR_ROLE");
    expect(await read("hasRole", [role, people.operator.address])).to.equal(false);
    expect(await read("hasRole", [role, next.address])).to.equal(true);
  });

  it("undoes by the admin all that a stolen guardian can do", async () => {
    const thief = people.guardian;
    const session = `0x${"5".repeat(64)}`;
    await send(thief, "setCaps", [100n * TOKEN, 100n * TOKEN]);
    await send(thief, "cancelSessions", [[{ wallet: player.address, gameSessionHash: session }]]);
    expect(await snapshotScore(people.score)).to.equal("sent");
    await send(thief, "voidPoints", [[{ wallet: player.address, points: 120n }]]);
    for (const address of [record.rewards, record.identity, ...Object.values(record.nft)])
      expect(await send(thief, "pause", [], address)).to.equal("sent");
    await send(thief, "revokeSigner", [people.score.address]);
    await follow("The guardian's key has leaked or was misused", {
      LEAKED: thief.address,
      NEW: newGuardian.address,
      SIGNER: people.score.address,
      WALLET: player.address,
      SESSION_HASH: session,
    });
    expect(await send(thief, "pause", [])).to.include("reverted");
    expect(await read("hasRole", [await read("GUARDIAN_ROLE"), newGuardian.address])).to.equal(true);
    expect(await read("caps")).to.deep.equal([20_000n * TOKEN, 100_000n * TOKEN]);
    expect(await read("isSigner", [people.score.address])).to.equal(true);
    expect(await read("getScorebank", [player.address])).to.equal(120n);
    expect(await snapshotScore(people.score, session)).to.equal("sent");
  });

  it("fills the float and takes it out of a paused contract", async () => {
    const float = (await read("floatBalance")) as bigint;
    await follow("The float is stuck or empty", { TREASURY: people.treasury.address });
    expect(await read("floatBalance")).to.equal(float - 50_000n * TOKEN);
  });
});
