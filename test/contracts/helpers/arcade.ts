import { ethers as ethersLibrary, type HDNodeWallet, type Wallet, ZeroAddress } from "ethers";
import { network } from "hardhat";
import { toGameId } from "../../../domain/replay/replay.ts";
import type { AnyContract } from "./contract.ts";

export type Connection = Awaited<ReturnType<typeof network.create>>;
type Signer = Awaited<ReturnType<Connection["ethers"]["getSigners"]>>[number];

export const TOKEN = 10n ** 18n;
export const DAY_SECONDS = 86_400n;
export const SLUG = "flappybots";
export const GAME_ID = toGameId(SLUG);
export const THRESHOLDS = [100n, 500n, 2_000n, 10_000n];
export const BASE_URI = "https://arcade.example/api/metadata/identity/";

/** The first block's time, far enough ahead that no test meets the machine's clock: a Monday, 12:00 UTC. */
export const START_SECONDS = 1_999_857_600n;

export const LIMITS = {
  scoreToTokenRate: TOKEN,
  payoutCooldown: DAY_SECONDS,
  minScore: 10n,
  maxScorePerSession: 10_000n,
  maxPayout: 15_000n * TOKEN,
  dailyCap: 20_000n * TOKEN,
  weeklyCap: 50_000n * TOKEN,
};
export const FLOAT = 1_000_000n * TOKEN;
export const SUPPLY = 10_000_000n * TOKEN;
export const SIGNER_DELAY_SECONDS = DAY_SECONDS;

/** The same key for the same name, in every run. */
export const keyOf = (name: string): Wallet => new ethersLibrary.Wallet(ethersLibrary.id(name));

export interface Options {
  readonly limits?: Partial<typeof LIMITS>;
  readonly signerDelaySeconds?: bigint;
  readonly signer?: { readonly address: string; readonly isContract: boolean };
  readonly float?: bigint;
}

export interface Arcade {
  readonly connection: Connection;
  readonly time: Connection["networkHelpers"]["time"];
  readonly chainId: number;
  readonly admin: Signer;
  readonly guardian: Signer;
  readonly operator: Signer;
  readonly treasury: Signer;
  readonly player: Signer;
  readonly other: Signer;
  readonly thirdParty: Signer;
  readonly keys: { readonly [name in "identity" | "nft" | "score" | "next"]: Wallet };
  readonly token: AnyContract;
  readonly identity: AnyContract;
  readonly nft: AnyContract;
  readonly rewards: AnyContract;
  readonly addresses: { readonly [name in "identity" | "nft" | "rewards" | "token"]: string };
}

export type AnySigner = Signer | Wallet | HDNodeWallet;
/** Who sends a call, and the key that signs it. */
export type By = { readonly sender?: AnySigner; readonly key?: AnySigner };

/** The constructor's argument of a contract with this signer, an admin without delay and no guardian. */
export const makeDuties = ({ admin }: Arcade, signer: { readonly address: string }, changes: object = {}) => ({
  admin: admin.address,
  adminDelaySeconds: 0n,
  guardian: ZeroAddress,
  signer: signer.address,
  signerIsContract: false,
  signerDelaySeconds: 0n,
  ...changes,
});

export const deployContract = async (
  { ethers }: Pick<Connection, "ethers">,
  name: string,
  args: unknown[],
  deployer?: Signer,
): Promise<AnyContract> => (await ethers.deployContract(name, args, deployer)) as unknown as AnyContract;

/** Puts all four contracts on a chain of this process, with one key per duty. */
export async function deployArcade(connection: Connection, options: Options = {}): Promise<Arcade> {
  const { ethers } = connection;
  const [deployer, admin, guardian, operator, treasury, player, other, thirdParty] = await ethers.getSigners();
  const keys = { identity: keyOf("identity"), nft: keyOf("nft"), score: keyOf("score"), next: keyOf("next") };
  const dutiesOf = (key: Wallet) => ({
    admin: admin!.address,
    adminDelaySeconds: 3_600n,
    guardian: guardian!.address,
    signer: options.signer?.address ?? key.address,
    signerIsContract: options.signer?.isContract ?? false,
    signerDelaySeconds: options.signerDelaySeconds ?? SIGNER_DELAY_SECONDS,
  });
  const deploy = (name: string, args: unknown[]) => deployContract(connection, name, args, deployer!);

  const token = await deploy("RewardToken", ["Arcade Token", "ARCD", SUPPLY, treasury!.address]);
  const identity = await deploy("AgentIdentity", [dutiesOf(keys.identity), "Agent Identity", "AGENT", BASE_URI]);
  const nft = await deploy("GameNFT", [
    dutiesOf(keys.nft),
    identity,
    SLUG,
    "Flappybots Wings",
    "WINGS",
    THRESHOLDS,
    "https://arcade.example/api/metadata/flappybots/",
    treasury!.address,
    250n,
  ]);
  const limits = { ...LIMITS, ...options.limits };
  const rewards = await deploy("RewardsV2", [dutiesOf(keys.score), operator!.address, token, identity, limits]);
  const float = options.float ?? FLOAT;
  if (float > 0n) {
    await (token.connect(treasury!) as AnyContract).approve(rewards, float);
    await (rewards.connect(treasury!) as AnyContract).fund(float);
  }
  const [a, b, c, d] = await Promise.all([identity, nft, rewards, token].map((contract) => contract.getAddress()));
  return {
    connection,
    time: connection.networkHelpers.time,
    chainId: Number((await ethers.provider.getNetwork()).chainId),
    admin: admin!,
    guardian: guardian!,
    operator: operator!,
    treasury: treasury!,
    player: player!,
    other: other!,
    thirdParty: thirdParty!,
    keys,
    token,
    identity,
    nft,
    rewards,
    addresses: { identity: a!, nft: b!, rewards: c!, token: d! },
  };
}

/** One chain for a test file, taken back to the fresh deployment before every test. Its members are for tests only. */
export function useArcade(options: Options = {}): Arcade {
  let connection: Connection;
  const arcade = {} as Arcade;
  async function fixture(): Promise<Arcade> {
    await connection.networkHelpers.time.setNextBlockTimestamp(START_SECONDS);
    return deployArcade(connection, options);
  }
  before(async () => {
    connection = await network.create();
  });
  beforeEach(async () => {
    Object.assign(arcade, await connection.networkHelpers.loadFixture(fixture));
  });
  after(() => connection.close());
  return arcade;
}

/** Seconds of the latest block. */
export const nowSeconds = async ({ time }: Arcade): Promise<bigint> => BigInt(await time.latest());

/** The contract as this account sends to it. */
export const as = (contract: AnyContract, signer: AnySigner): AnyContract => contract.connect(signer) as AnyContract;
