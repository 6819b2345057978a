/** Every view that the service reads, with arguments of a sequence of calls. */
import { type Abi, type AbiFunction, type Address, encodeFunctionData, type Hex, keccak256, stringToHex } from "viem";
import type { Deployment } from "../../../backend/ports/chain.ts";
import {
  agentIdentityAbi,
  gameNFTAbi,
  rewardsV2Abi,
  rewardTokenAbi,
} from "../../../domain/typed-data/contract-abis.ts";
import { SLUG } from "./cast.ts";

/** The model has no texts of tokens and no domains. */
const NOT_MODELED: readonly string[] = ["tokenURI", "eip712Domain"];

export interface View {
  readonly name: string;
  readonly to: Address;
  /** The data of the call. */
  readonly encode: () => Hex;
}

export interface ViewArguments {
  /** Addresses for the arguments of views: players and others. */
  readonly addresses: readonly Address[];
  readonly identities: number;
  readonly sessionHashes: readonly Hex[];
}

const ROLES = [keccak256(stringToHex("OPERATOR_ROLE")), keccak256(stringToHex("another role"))];
/** The most hashes in the queries, since all of a long sequence would dominate the run time. */
const HASHES_MAX = 6;

function listValues(name: string, type: string, of: ViewArguments): readonly unknown[] {
  if (type === "address") return of.addresses;
  if (type === "uint256") return Array.from({ length: of.identities + 2 }, (_, id) => BigInt(id));
  if (name === "role") return ROLES;
  if (name === "gameSessionHash") return of.sessionHashes.slice(-HASHES_MAX);
  throw new Error(`no values for ${type} ${name}`);
}

const combine = (lists: readonly (readonly unknown[])[]): readonly (readonly unknown[])[] =>
  lists.reduce<readonly (readonly unknown[])[]>(
    (rows, list) => rows.flatMap((row) => list.map((value) => [...row, value])),
    [[]],
  );

export function listViews({ identity, rewards, token, nft }: Deployment, of: ViewArguments): readonly View[] {
  const contracts: readonly (readonly [Address, Abi])[] = [
    [identity, agentIdentityAbi as Abi],
    [nft[SLUG]!, gameNFTAbi as Abi],
    [rewards, rewardsV2Abi as Abi],
    [token, rewardTokenAbi as Abi],
  ];
  return contracts.flatMap(([to, abi]) =>
    abi
      .filter((item): item is AbiFunction => item.type === "function" && !NOT_MODELED.includes(item.name))
      .flatMap(({ name, inputs }) =>
        combine(inputs.map((input) => listValues(input.name ?? "", input.type, of))).map((args) => ({
          name: `${name}(${args.join(", ")})`,
          to,
          encode: () => encodeFunctionData({ abi, functionName: name, args }),
        })),
      ),
  );
}
