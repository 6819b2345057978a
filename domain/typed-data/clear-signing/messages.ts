/** The clear-signing format of typed messages. */
import { ORDER_TYPES, SEAPORT_NAME, SEAPORT_VERSION } from "../../seaport.ts";
import {
  DOMAIN_NAMES,
  DOMAIN_VERSION,
  encodeType,
  TYPED_MESSAGES,
  type TypedDataDomainKind,
  type TypedField,
} from "../messages.ts";
import type { FormatDescriptor } from "./descriptor.ts";
import { describeFields, type Parameter } from "./fields.ts";
import { type ContractName, getMessageIntent } from "./intents.ts";

type Types = { readonly [name: string]: readonly TypedField[] };

/** The fields of a struct with the structs inside it. */
const resolve = (types: Types, name: string): readonly Parameter[] =>
  types[name]!.map((field) => {
    const struct = field.type.replace(/(\[\d*\])+$/, "");
    return Object.hasOwn(types, struct) ? { ...field, components: resolve(types, struct) } : field;
  });

/** The type string, with a space between structs as in the standard's own example. */
const toMessageKey = (types: Types, primaryType: string): string =>
  encodeType(types, primaryType).replaceAll(/\)(?=.)/g, ") ");

const describeMessage = (types: Types, primaryType: string): FormatDescriptor => ({
  intent: getMessageIntent(primaryType),
  fields: describeFields(resolve(types, primaryType)),
});

interface MessageDomain {
  /** The file is `eip712-NAME.json`. */
  readonly name: string;
  /** Null if no contract checks the messages. */
  readonly contract: ContractName | null;
  readonly domain: { readonly name?: string; readonly version: string };
  readonly messages: { readonly [primaryType: string]: Types };
}

const listTypes = (kind: TypedDataDomainKind): MessageDomain["messages"] =>
  Object.fromEntries(
    Object.entries(TYPED_MESSAGES)
      .filter(([, { domain }]) => domain === kind)
      .map(([primaryType, { types }]) => [primaryType, types]),
  );

function toDomain(kind: TypedDataDomainKind, file: string, contract: ContractName | null): MessageDomain {
  // The domain of a game's NFT has the game's name, so addresses identify its contracts.
  const name = kind === "gameNft" ? {} : { name: DOMAIN_NAMES[kind as keyof typeof DOMAIN_NAMES]("") };
  return { name: file, contract, domain: { ...name, version: DOMAIN_VERSION }, messages: listTypes(kind) };
}

/** Every domain that something is signed in. */
export const MESSAGE_DOMAINS: readonly MessageDomain[] = [
  toDomain("identity", "AgentIdentity", "AgentIdentity"),
  toDomain("gameNft", "GameNFT", "GameNFT"),
  toDomain("rewards", "RewardsV2", "RewardsV2"),
  toDomain("voting", "Voting", null),
  toDomain("replay", "Replay", null),
  {
    name: "Seaport",
    contract: "Seaport",
    domain: { name: SEAPORT_NAME, version: SEAPORT_VERSION },
    messages: { OrderComponents: ORDER_TYPES },
  },
];

export const describeMessages = (messages: MessageDomain["messages"]): { [key: string]: FormatDescriptor } =>
  Object.fromEntries(
    Object.entries(messages).map(([primaryType, types]) => [
      toMessageKey(types, primaryType),
      describeMessage(types, primaryType),
    ]),
  );

/** The format of a payload by its primary type and its types; null for payloads of other products. */
export function findMessageFormat(primaryType: string, types: Types): FormatDescriptor | null {
  const found = MESSAGE_DOMAINS.find(({ messages }) => Object.hasOwn(messages, primaryType))?.messages[primaryType];
  if (found === undefined || !Object.hasOwn(types, primaryType)) return null;
  return encodeType(found, primaryType) === encodeType(types, primaryType) ? describeMessage(found, primaryType) : null;
}
