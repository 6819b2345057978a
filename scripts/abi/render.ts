import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Abi, AbiParameter } from "viem";

/** What the backend calls and reads of each contract. Errors are all taken: any of them may come back. */
const USED: { readonly [contract: string]: readonly string[] } = {
  AgentIdentity: [
    "primaryIdentity",
    "ownerOf",
    "tokenURI",
    "mintNonces",
    "isSigner",
    "signer",
    "alternateSigner",
    "eip712Domain",
    "Registered",
  ],
  GameNFT: ["ownerOf", "recordOf", "GameNftMinted", "GameNftUpgraded"],
  RewardsV2: [
    "readiness",
    "getScorebank",
    "isSessionConsumed",
    "getDailyRemaining",
    "getWeeklyRemaining",
    "floatBalance",
    "caps",
    "scoreToTokenRate",
    "OPERATOR_ROLE",
    "hasRole",
    "ScoreSnapshot",
    "Payout",
  ],
  RewardToken: ["name", "symbol", "decimals", "balanceOf", "totalSupply"],
};

const pathOf = (relative: string): string => fileURLToPath(new URL(`../../${relative}`, import.meta.url));

export const ABI_FILE = pathOf("backend/adapters/chain/abi.ts");

const readAbi = (contract: string): Abi =>
  JSON.parse(readFileSync(pathOf(`artifacts/contracts/${contract}.sol/${contract}.json`), "utf8")).abi;

function describeParameter(parameter: AbiParameter & { readonly indexed?: boolean }): string {
  const type =
    "components" in parameter
      ? `(${parameter.components.map(describeParameter).join(", ")})${parameter.type.slice("tuple".length)}`
      : parameter.type;
  return [type, parameter.indexed ? "indexed" : "", parameter.name ?? ""].filter(Boolean).join(" ");
}

const describeList = (parameters: readonly AbiParameter[]): string => parameters.map(describeParameter).join(", ");

function describeItem(item: Abi[number]): string {
  if (item.type === "event" || item.type === "error") return `${item.type} ${item.name}(${describeList(item.inputs)})`;
  if (item.type !== "function") throw new Error(`${item.type} has no place in this file`);
  const mutability = item.stateMutability === "nonpayable" ? "" : ` ${item.stateMutability}`;
  const returns = item.outputs.length === 0 ? "" : ` returns (${describeList(item.outputs)})`;
  return `function ${item.name}(${describeList(item.inputs)})${mutability}${returns}`;
}

const constantName = (contract: string): string =>
  `${contract.replace(/^[A-Z]+(?=[A-Z][a-z])|^[A-Z]/, (head) => head.toLowerCase())}Abi`;

const describeAbi = (name: string, lines: readonly string[]): string =>
  `export const ${name} = parseAbi([\n${lines.map((line) => `  ${JSON.stringify(line)},\n`).join("")}]);\n`;

/** The text of `backend/adapters/chain/abi.ts`, made from the compiled contracts in `artifacts/`. */
export function renderAbi(): string {
  const errors = new Set<string>();
  const parts = Object.entries(USED).map(([contract, names]) => {
    const abi = readAbi(contract);
    for (const item of abi) if (item.type === "error") errors.add(describeItem(item));
    const lines = names.map((name) => {
      const item = abi.find((candidate) => "name" in candidate && candidate.name === name);
      if (item === undefined) throw new Error(`${contract} has no ${name}`);
      return describeItem(item);
    });
    return describeAbi(constantName(contract), lines);
  });
  return [
    '/** Made by `node scripts/abi.ts` from the compiled contracts; a test keeps it current. */\nimport { parseAbi } from "viem";\n',
    ...parts,
    `/** Every error a contract of ours may answer with. */\n${describeAbi("errorsAbi", [...errors].sort())}`,
  ].join("\n");
}
