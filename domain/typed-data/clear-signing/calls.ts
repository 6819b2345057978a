/** The clear-signing format of contract calls. */
import { type Abi, type AbiFunction, parseAbi } from "viem";
import { FULFILL_ABI } from "../../seaport.ts";
import { CALLS } from "../calls.ts";
import type { FormatDescriptor } from "./descriptor.ts";
import { describeFields, type Parameter } from "./fields.ts";
import { CALL_ENTRIES, type ContractName } from "./intents.ts";

interface CallFormat {
  readonly abi: AbiFunction;
  readonly contracts: readonly ContractName[];
  readonly intent: string;
}

const toFunctions = (abi: Abi): readonly AbiFunction[] => abi.filter((item) => item.type === "function");

const [approve] = toFunctions(parseAbi(["function approve(address spender, uint256 amount) returns (bool)"]));
const [fulfillOrder] = toFunctions(FULFILL_ABI);

/** Every call of the product's wallets: those from the service, and those of the site's market. */
export const CALL_FORMATS: readonly CallFormat[] = [
  ...toFunctions(CALLS).map((abi) => ({ abi, ...CALL_ENTRIES[abi.name as keyof typeof CALL_ENTRIES] })),
  { abi: approve!, contracts: ["RewardToken"], intent: "Let a contract spend your tokens" },
  { abi: fulfillOrder!, contracts: ["Seaport"], intent: "Buy a listed token" },
];

const toParameterText = ({ type, name, components }: Parameter): string => {
  const list = type.replace(/^tuple/, "");
  const text = components === undefined ? type : `tuple(${components.map(toParameterText).join(",")})${list}`;
  return `${text} ${name}`;
};

/** The signature with the names of its parameters: `payout(address wallet)`. */
export const toCallKey = ({ name, inputs }: AbiFunction): string =>
  `${name}(${(inputs as readonly Parameter[]).map(toParameterText).join(",")})`;

export const describeCall = ({ abi, intent }: CallFormat): FormatDescriptor => ({
  intent,
  fields: describeFields(abi.inputs as readonly Parameter[]),
});
