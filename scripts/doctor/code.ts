/** Compares the deployed code, and the messages that it accepts, with the backend's. */
import { keccak256, parseAbi, stringToHex } from "viem";
import { ACCESS_CONTROL_ABI } from "../../deploy/abi.ts";
import { toGameNftModuleId } from "../../deploy/modules/names.ts";
import {
  DOMAIN_NAMES,
  DOMAIN_VERSION,
  encodeMessageType,
  type PrimaryType,
  TYPED_MESSAGES,
} from "../../domain/typed-data/messages.ts";
import { type CheckResult, type DoctorTarget, error, listSignedContracts, ok, type SignedContract } from "./target.ts";

/** Fields of ERC-5267: name, version, chain id and verifying contract. */
const DOMAIN_FIELDS = "0x0f";

/**
 * The backend reads addresses at the top of the file, the doctor hashes code by the contracts below: they must agree.
 */
function checkAddresses({ record }: DoctorTarget): readonly CheckResult[] {
  const entries: readonly [string, string, string][] = [
    ["identity", record.identity, "Identity.AgentIdentity"],
    ["rewards", record.rewards, "Rewards.RewardsV2"],
    ["token", record.token, "Token.RewardToken"],
    ...Object.entries(record.nft).map(([slug, address]): [string, string, string] => [
      `nft.${slug}`,
      address,
      `${toGameNftModuleId(slug)}.GameNFT`,
    ]),
  ];
  return entries
    .filter(([, address, contract]) => record.contracts[contract]?.address.toLowerCase() !== address.toLowerCase())
    .map(([name, address, contract]) => {
      const next = "use the addresses file as npm run deploy wrote it";
      return error(`address.${name}`, `the addresses file has ${address} for ${name}, but not for ${contract}`, next);
    });
}

export async function checkCode(target: DoctorTarget): Promise<readonly CheckResult[]> {
  const { client, record } = target;
  const addresses = checkAddresses(target);
  const code = await Promise.all(
    Object.entries(record.contracts).map(async ([name, { address, codeHash }]) => {
      const code = await client.getCode({ address });
      if (code === undefined) {
        const next = "check that the node is synchronized and on the chain of the addresses file";
        return error(`code.${name}`, `${name}: no code at ${address}`, next);
      }
      if (keccak256(code) === codeHash)
        return ok(`code.${name}`, `${name}: the code at ${address} is the deployed code`);
      const next = "do not sign for it: compare the addresses file with the one of the deployment";
      return error(`code.${name}`, `${name}: different code at ${address}, hash ${keccak256(code)}`, next);
    }),
  );
  return [...addresses, ...code];
}

async function checkDomain(
  { client, record }: DoctorTarget,
  { name, kind, slug, address }: SignedContract,
): Promise<CheckResult> {
  const domain = await client.readContract({ address, abi: ACCESS_CONTROL_ABI, functionName: "eip712Domain" });
  const [fields, domainName, version, chainId, verifyingContract] = domain;
  const expected = [
    DOMAIN_FIELDS,
    DOMAIN_NAMES[kind](slug),
    DOMAIN_VERSION,
    String(record.chainId),
    address.toLowerCase(),
  ];
  const actual = [fields, domainName, version, String(chainId), verifyingContract.toLowerCase()];
  if (expected.every((part, index) => part === actual[index])) {
    return ok(`domain.${name}`, `${name}: domain "${domainName}" version ${version} on chain ${chainId}`);
  }
  const finding = `${name}: the contract's domain is ${actual.join(" ")}, the backend signs ${expected.join(" ")}`;
  return error(`domain.${name}`, finding, "use the backend and the addresses file of the same release");
}

/** Every typed message of the table whose type hash the contract returns. */
async function checkTypes(
  { client }: DoctorTarget,
  { name, kind, address }: SignedContract,
): Promise<readonly CheckResult[]> {
  const types = (Object.keys(TYPED_MESSAGES) as PrimaryType[]).filter(
    (type) => TYPED_MESSAGES[type].domain === kind && TYPED_MESSAGES[type].typeHashView !== null,
  );
  return Promise.all(
    types.map(async (type) => {
      const view = TYPED_MESSAGES[type].typeHashView!;
      const abi = parseAbi([`function ${view}() view returns (bytes32)`] as readonly string[]);
      const found = await client.readContract({ address, abi, functionName: view });
      const expected = keccak256(stringToHex(encodeMessageType(type)));
      return found === expected
        ? ok(`type.${name}.${type}`, `${name}: ${type} has the backend's type hash`)
        : error(
            `type.${name}.${type}`,
            `${name}: ${type} is ${found}, the backend signs ${expected}`,
            "use the backend of the contracts' release",
          );
    }),
  );
}

export async function checkDomains(target: DoctorTarget): Promise<readonly CheckResult[]> {
  const found = await Promise.all(
    listSignedContracts(target).map(async (one) => [
      await checkDomain(target, one),
      ...(await checkTypes(target, one)),
    ]),
  );
  return found.flat();
}
