/** Writes the life of a deployment down as signed transactions: fixed keys, fixed times, the same bytes for any node. */
import {
  type Abi,
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  type PrivateKeyAccount,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { loadArtifact } from "../../../deploy/artifacts.ts";
import { createTypedData, type PrimaryType } from "../../../domain/typed-data/messages.ts";
import { GAME_ID, keyOf, LIMITS, SIGNER_DELAY_SECONDS, SLUG, START_SECONDS, SUPPLY } from "./arcade.ts";
import { hashOf } from "./snapshot.ts";

/** Everybody who signs something. */
const PEOPLE = [
  "deployer",
  "admin",
  "guardian",
  "operator",
  "nextOperator",
  "heir",
  "player",
  "buyer",
  "thirdParty",
  "identity",
  "nft",
  "score",
  "nextScore",
] as const;

const GAS_LIMIT = { create: 7_000_000n, call: 1_000_000n };
const FEE_WEI = 100n * 10n ** 9n;
const BLOCK_SECONDS = 12n;
export const ADMIN_DELAY_SECONDS = 3_600;

export interface Transaction {
  readonly name: string;
  /** Block time, in seconds. */
  readonly at: bigint;
  readonly raw: Hex;
  /** False where it is meant to be mined and reverted. */
  readonly succeeds: boolean;
}

/** A question to the last block; most of them are answered by a revert. */
export interface Question {
  readonly name: string;
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
}

const CONTRACTS = ["RewardToken", "AgentIdentity", "GameNFT", "RewardsV2"] as const;
type Name = (typeof CONTRACTS)[number];

export class Journey {
  readonly transactions: Transaction[] = [];
  readonly questions: Question[] = [];
  readonly actors = Object.fromEntries(
    PEOPLE.map((name) => [name, privateKeyToAccount(keyOf(name).privateKey as Hex)]),
  ) as { readonly [name in (typeof PEOPLE)[number]]: PrivateKeyAccount };
  readonly addresses: { readonly [name in Name]: Address };
  private readonly nonces = new Map<Address, number>();
  private readonly chainId: number;
  private readonly abis: { readonly [name in Name]: Abi };
  private readonly codes: { readonly [name in Name]: Hex };
  private now = START_SECONDS;

  private constructor(chainId: number, artifacts: readonly { abi: Abi; bytecode: Hex }[]) {
    const { address: from } = this.actors.deployer;
    const each = <T>(value: (index: number) => T) =>
      Object.fromEntries(CONTRACTS.map((name, index) => [name, value(index)])) as { readonly [name in Name]: T };
    this.chainId = chainId;
    this.abis = each((index) => artifacts[index]!.abi);
    this.codes = each((index) => artifacts[index]!.bytecode);
    this.addresses = each((index) => getContractAddress({ from, nonce: BigInt(index) }));
  }

  /** Loads the contracts as they are compiled; `deploy` comes first, then the rest in any order. */
  static async begin(chainId: number): Promise<Journey> {
    const artifacts = await Promise.all(CONTRACTS.map((name) => loadArtifact(name)));
    return new Journey(chainId, artifacts as unknown as { abi: Abi; bytecode: Hex }[]);
  }

  /** Lets time pass before the next transaction. */
  pass(seconds: bigint): void {
    this.now += seconds;
  }

  get deadline(): bigint {
    return this.now + 300n;
  }

  async deploy(): Promise<void> {
    const { admin, guardian, operator, deployer, identity, nft, score } = this.actors;
    const duties = (signer: PrivateKeyAccount) => ({
      admin: admin.address,
      adminDelaySeconds: ADMIN_DELAY_SECONDS,
      guardian: guardian.address,
      signer: signer.address,
      signerIsContract: false,
      signerDelaySeconds: Number(SIGNER_DELAY_SECONDS),
    });
    const { RewardToken, AgentIdentity } = this.addresses;
    const args: { readonly [name in Name]: readonly unknown[] } = {
      RewardToken: ["Arcade Token", "ARCD", SUPPLY, deployer.address],
      AgentIdentity: [duties(identity), "Agent Identity", "AGENT", "https://arcade.example/identity/"],
      GameNFT: [
        duties(nft),
        AgentIdentity,
        SLUG,
        "Wings",
        "WINGS",
        [100n, 500n],
        "https://arcade.example/",
        admin.address,
        250n,
      ],
      RewardsV2: [duties(score), operator.address, RewardToken, AgentIdentity, LIMITS],
    };
    for (const name of CONTRACTS) {
      const data = encodeDeployData({ abi: this.abis[name], bytecode: this.codes[name], args: args[name] });
      await this.sign(`deploy ${name}`, deployer, { data, gas: GAS_LIMIT.create }, true);
    }
  }

  /** A transaction that goes through. */
  send = (from: PrivateKeyAccount, to: Name, functionName: string, args: readonly unknown[] = []) =>
    this.call(from, to, functionName, args, true);
  /** A transaction that is mined and reverts. */
  fail = (from: PrivateKeyAccount, to: Name, functionName: string, args: readonly unknown[] = []) =>
    this.call(from, to, functionName, args, false);

  ask(from: PrivateKeyAccount, to: Name, functionName: string, args: readonly unknown[] = []): void {
    const data = encodeFunctionData({ abi: this.abis[to], functionName, args });
    this.questions.push({ name: functionName, from: from.address, to: this.addresses[to], data });
  }

  async signMessage(signer: PrivateKeyAccount, type: PrimaryType, to: Name, message: object): Promise<Hex> {
    const place = { chainId: this.chainId, verifyingContract: this.addresses[to], slug: SLUG };
    return await signer.signTypedData(createTypedData(type, place, message as never) as never);
  }

  /** Arguments of a snapshot of 500 points for the player. */
  async snapshotArgs(sequence: bigint, signer = this.actors.score): Promise<readonly unknown[]> {
    const { deadline } = this;
    const wallet = this.actors.player.address;
    const message = { wallet, gameId: GAME_ID, score: 500n, gameSessionHash: hashOf(sequence), deadline };
    const signature = await this.signMessage(signer, "Snapshot", "RewardsV2", message);
    return [wallet, GAME_ID, 500n, hashOf(sequence), deadline, signature];
  }

  async nftArgs(type: "MintGameNft" | "UpgradeGameNft", wallet: Address, score: bigint): Promise<readonly unknown[]> {
    const { deadline } = this;
    const signature = await this.signMessage(this.actors.nft, type, "GameNFT", {
      wallet,
      agentId: 1n,
      score,
      deadline,
    });
    return [wallet, 1n, score, deadline, signature];
  }

  private async call(
    from: PrivateKeyAccount,
    to: Name,
    functionName: string,
    args: readonly unknown[],
    succeeds: boolean,
  ): Promise<void> {
    const data = encodeFunctionData({ abi: this.abis[to], functionName, args });
    await this.sign(functionName, from, { to: this.addresses[to], data, gas: GAS_LIMIT.call }, succeeds);
  }

  private async sign(
    name: string,
    from: PrivateKeyAccount,
    fields: { readonly to?: Address; readonly data: Hex; readonly gas: bigint },
    succeeds: boolean,
  ): Promise<void> {
    this.pass(BLOCK_SECONDS);
    const nonce = this.nonces.get(from.address) ?? 0;
    this.nonces.set(from.address, nonce + 1);
    const fees = { maxFeePerGas: FEE_WEI, maxPriorityFeePerGas: 1n };
    const raw = await from.signTransaction({ ...fields, ...fees, type: "eip1559", chainId: this.chainId, nonce });
    this.transactions.push({ name: `${this.transactions.length} ${name}`, at: this.now, raw, succeeds });
  }
}
