/** Compares the chain with the decision (the roles file and the network's limits), not with the addresses file. */
import { type Abi, type Address, encodeDeployData, formatUnits, type Hex, parseAbi, zeroAddress } from "viem";
import { loadArtifact } from "../../deploy/artifacts.ts";
import type { ArcadeParameters, PlannedChanges } from "../../deploy/modules/parameters.ts";
import { createSalt, predictAddress } from "../../deploy/public/create2.ts";
import { findSeaport } from "../../deploy/seaport.ts";
import { REGISTRATION_FILES_PATH } from "../../domain/identity.ts";
import { REWARD_TOKEN } from "../../domain/token.ts";
import { readEvents } from "./events.ts";
import { checkRoleHolders } from "./role-holders.ts";
import {
  type CheckResult,
  type Decision,
  type DoctorTarget,
  difference,
  getSignerPath,
  listSignedContracts,
  ok,
  type RolesEntry,
  type SignedContract,
} from "./target.ts";

const ABI = parseAbi([
  "function contractURI() view returns (string)",
  "function identity() view returns (address)",
  "function openRegistration() view returns (bool)",
  "function royaltyInfo(uint256 tokenId, uint256 salePrice) view returns (address receiver, uint256 amount)",
  "function pendingDefaultAdmin() view returns (address newAdmin, uint48 schedule)",
  "function pendingDefaultAdminDelay() view returns (uint48 newDelay, uint48 schedule)",
  "function defaultAdminDelay() view returns (uint48)",
  "function signerDelay() view returns (uint256)",
  "function signer() view returns (address account, bool isContract)",
  "function alternateSigner() view returns (address account, bool isContract, uint256 validFrom)",
  "function caps() view returns (uint256 dailyCap, uint256 weeklyCap)",
  "function maxPayout() view returns (uint256)",
  "function minScore() view returns (uint256)",
  "function maxScorePerSession() view returns (uint256)",
  "function scoreToTokenRate() view returns (uint256)",
  "function payoutCooldown() view returns (uint256)",
]);
const BASE_URI_EVENTS = parseAbi(["event BaseURISet(string baseURI)"]);
type View = (typeof ABI)[number]["name"];

/** One fact: the decided value, the value on chain, and its path in the roles file, now and under `next`. */
type Fact = readonly [
  id: string,
  what: string,
  decided: unknown,
  found: unknown,
  rolesPath?: string | undefined,
  nextPath?: string,
];

const BASIS_POINTS = 10_000n;
const toText = (value: unknown): string =>
  typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value) ? value.toLowerCase() : String(value);

/** Several values of one fact, such as two signers, as text. */
const joinValues = (values: readonly unknown[]): string => values.join(" and ");
const splitValues = (found: unknown): readonly string[] => String(found).split(" and ");

/** The value for the roles file; null if the file cannot express it. */
function toRolesEntry([, , decided, found, path, nextPath]: Fact): RolesEntry | null {
  if (nextPath !== undefined && (path === undefined || splitValues(found).length > 1)) {
    const [added, ...others] = splitValues(found).filter((value) => toText(value) !== toText(decided));
    return added === undefined || others.length > 0 ? null : { path: `next.${nextPath}`, value: added };
  }
  if (path === undefined || found === zeroAddress) return null;
  if (path === "publicUrl") {
    const [, url] = /^(https?:.+)\/api\/metadata\/[^/]+\/$/.exec(String(found)) ?? [];
    return url === undefined ? null : { path, value: url };
  }
  if (typeof found === "number") return { path, value: found };
  const text = String(found);
  return /^(0x[0-9a-fA-F]{40}|\d+)$/.test(text) ? { path, value: text } : null;
}

/** Limits in tokens, which the roles file has in base units. */
const AMOUNTS: ReadonlySet<string> = new Set(["limit.dailyCap", "limit.weeklyCap", "limit.maxPayout"]);

/** A value as text. */
const formatValue = (id: string, value: unknown): string =>
  AMOUNTS.has(id) && typeof value === "bigint"
    ? `${formatUnits(value, REWARD_TOKEN.decimals)} ${REWARD_TOKEN.symbol}`
    : String(value);

/** Compares one fact. While a change is planned, the chain may show the old value, the new one, or both. */
const createComparison =
  (next: PlannedChanges = {}) =>
  (fact: Fact): CheckResult => {
    const [id, what, decided, found, rolesPath, nextPath = rolesPath ?? ""] = fact;
    const shown = formatValue(id, found);
    const decidedPath = rolesPath === undefined ? {} : { decidedPath: rolesPath };
    if (toText(decided) === toText(found))
      return { ...ok(`decided.${id}`, `${what} is ${shown}, as decided`), ...decidedPath };
    const planned = next[nextPath];
    const values = splitValues(found).map(toText);
    if (planned === undefined || !values.every((value) => [toText(decided), toText(planned)].includes(value)))
      return difference(
        `decided.${id}`,
        `${what} is ${shown}, but ${formatValue(id, decided)} was decided`,
        toRolesEntry(fact),
      );
    const isComplete = rolesPath !== undefined && values.length === 1;
    const rolesEntry = isComplete ? { rolesEntry: { path: rolesPath, value: planned } } : {};
    return { ...ok(`decided.${id}`, `${what} is ${shown}, as planned`), ...rolesEntry };
  };

const createReader =
  ({ client }: DoctorTarget) =>
  async (address: Address, functionName: View, args: readonly unknown[] = []): Promise<never> =>
    (await client.readContract({ address, abi: ABI, functionName, args } as never)) as never;

async function readLimits(target: DoctorTarget, { rewards }: ArcadeParameters): Promise<readonly Fact[]> {
  const read = createReader(target);
  const address = target.record.rewards;
  const [daily, weekly] = (await read(address, "caps")) as readonly [bigint, bigint];
  // The contract has no call that changes an entry without a path.
  const singles: readonly [View, unknown, string?][] = [
    ["maxPayout", rewards.maxPayout, "rewards.maxPayout"],
    ["minScore", rewards.minScore],
    ["maxScorePerSession", rewards.maxScorePerSession, "rewards.maxScorePerSession"],
    ["scoreToTokenRate", rewards.scoreToTokenRate],
    ["payoutCooldown", rewards.payoutCooldownSeconds],
  ];
  const facts = singles.map(async ([view, decided, path]): Promise<Fact> => {
    const found = (await read(address, view)) as unknown;
    return [`limit.${view}`, `rewards: ${view}`, decided, found, path];
  });
  return [
    ["limit.dailyCap", "rewards: the daily cap", rewards.dailyCap, daily, "rewards.dailyCap"],
    ["limit.weeklyCap", "rewards: the weekly cap", rewards.weeklyCap, weekly, "rewards.weeklyCap"],
    ...(await Promise.all(facts)),
  ];
}

async function readMetadata(
  target: DoctorTarget,
  parameters: ArcadeParameters,
  { name, kind, slug, address }: SignedContract,
): Promise<readonly Fact[]> {
  if (kind === "rewards") return [];
  const read = createReader(target);
  const base = `${parameters.publicUrl}${kind === "identity" ? REGISTRATION_FILES_PATH : `/api/metadata/${slug}/`}`;
  // Constructor and setter both emit the event; a game's contract has no view for it.
  const lastBase = (await readEvents(target, [address], BASE_URI_EVENTS)).at(-1)?.args.baseURI ?? "unknown";
  const baseUri: Fact = [`baseUri.${name}`, `${name}: the base URI`, base, lastBase, "publicUrl"];
  if (kind === "identity") {
    return [
      baseUri,
      ["openRegistration", "identity: open registration", false, await read(address, "openRegistration")],
    ];
  }
  const [receiver, amount] = (await read(address, "royaltyInfo", [1n, BASIS_POINTS])) as readonly [Address, bigint];
  const contractUri = (await read(address, "contractURI")) as string;
  const { name: title, symbol } = parameters.games.find((game) => game.slug === slug)?.nft ?? { name: "", symbol: "" };
  const ownUri = `data:application/json;charset=utf-8,${encodeURIComponent(JSON.stringify({ name: title, symbol }))}`;
  return [
    baseUri,
    [`royalty.${name}`, `${name}: the royalty (basis points)`, parameters.royaltyBasisPoints, amount],
    [`royalty.${name}.receiver`, `${name}: the royalty's receiver`, parameters.treasury, receiver, "treasury"],
    [`contractUri.${name}`, `${name}: the contract URI`, ownUri, contractUri],
    [`identity.${name}`, `${name}: its identity contract`, target.record.identity, await read(address, "identity")],
  ];
}

function findDecidedSigner(
  { identity, score, nft }: ArcadeParameters["signers"],
  { kind, slug }: SignedContract,
): Address | undefined {
  if (kind === "gameNft") return nft[slug];
  return kind === "identity" ? identity : score;
}

async function readDelaysAndSigners(
  target: DoctorTarget,
  { adminDelaySeconds, signerDelaySeconds, signers }: ArcadeParameters,
  contract: SignedContract,
): Promise<readonly Fact[]> {
  const { name, address } = contract;
  const read = createReader(target);
  const [pendingAdmin] = (await read(address, "pendingDefaultAdmin")) as readonly [Address, number];
  const [pendingDelay, schedule] = (await read(address, "pendingDefaultAdminDelay")) as readonly [number, number];
  const [signer] = (await read(address, "signer")) as readonly [Address];
  const [alternate] = (await read(address, "alternateSigner")) as readonly [Address];
  const decided = findDecidedSigner(signers, contract);
  const rolesPath = getSignerPath(contract);
  const found = joinValues([signer, alternate].filter((one) => one !== zeroAddress));
  const adminDelay = (await read(address, "defaultAdminDelay")) as number;
  return [
    [`adminDelay.${name}`, `${name}: the admin's delay`, adminDelaySeconds, adminDelay, "adminDelaySeconds"],
    [`signerDelay.${name}`, `${name}: the signers' delay`, signerDelaySeconds, await read(address, "signerDelay")],
    [`pendingAdmin.${name}`, `${name}: the pending admin`, zeroAddress, pendingAdmin, undefined, "admin"],
    [
      `pendingDelay.${name}`,
      `${name}: the pending delay (seconds)`,
      "none",
      schedule === 0 ? "none" : pendingDelay,
      undefined,
      "adminDelaySeconds",
    ],
    [`signer.${name}`, `${name}: the signer`, decided, found, rolesPath, rolesPath],
  ];
}

/** The CREATE2 address of the compiled code in git with the arguments of the addresses file. */
async function readAddresses(target: DoctorTarget, saltLabel: string): Promise<readonly Fact[]> {
  const { deployer, contracts } = target.record;
  if (target.isLocal) return [];
  // Without it nothing shows that these contracts were compiled from our code.
  if (deployer === undefined)
    return [["deployer", "the addresses file: deployer", "the account that deployed", "not named"]];
  const salt = createSalt(deployer, saltLabel);
  const facts = Object.entries(contracts).map(async ([name, { address, args }]): Promise<Fact> => {
    const { abi, bytecode } = await loadArtifact(name.split(".").at(-1)!);
    const initCode = encodeDeployData({ abi: abi as Abi, bytecode: bytecode as Hex, args });
    return [`address.${name}`, `${name}: its address`, predictAddress(deployer, salt, initCode), address];
  });
  return Promise.all(facts);
}

/** The addresses file apart from the contracts. `npm run deploy` rewrites it. */
async function checkFile(target: DoctorTarget, { publicUrl }: ArcadeParameters): Promise<readonly CheckResult[]> {
  const facts: Fact[] = [["publicUrl", "the addresses file: publicUrl", publicUrl, target.record.publicUrl]];
  if (!target.isLocal) {
    facts.push(["market", "the addresses file: market", await findSeaport(target.client), target.record.market]);
  }
  const next = "npm run deploy with the file of --roles rewrites the addresses file if the chain agrees with it";
  return facts.map(createComparison()).map((result) => (result.status === "ok" ? result : { ...result, next }));
}

/** Every difference between decision and chain is a fault. */
export async function checkDecision(target: DoctorTarget, decision: Decision): Promise<readonly CheckResult[]> {
  const { parameters, saltLabel } = decision;
  const facts = await Promise.all([
    readAddresses(target, saltLabel),
    readLimits(target, parameters),
    ...listSignedContracts(target).flatMap((one) => [
      readMetadata(target, parameters, one),
      readDelaysAndSigners(target, parameters, one),
    ]),
  ]);
  const [addresses = [], ...others] = facts;
  const toResult = createComparison(parameters.next);
  return [
    ...addresses.map(toResult),
    ...(await checkFile(target, parameters)),
    ...others.flat().map(toResult),
    ...(await checkRoleHolders(target, parameters)),
  ];
}
