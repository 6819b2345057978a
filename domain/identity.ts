/** Metadata of an agent identity: one document valid as ERC-721 metadata and as an ERC-8004 registration file. */

export interface AgentFacts {
  readonly agentName: string;
  readonly agentType?: string | undefined;
  readonly description?: string | undefined;
  readonly image?: string | undefined;
  readonly services?: readonly { readonly name: string; readonly endpoint: string }[] | undefined;
  readonly hardwareResources?: string | undefined;
}

/** Seconds a registration stays valid unless the caller asks otherwise, and the bounds the contract accepts. */
export const REGISTRATION_TIMES = { defaultSeconds: 300, minSeconds: 30, maxSeconds: 3600 } as const;

/**
 * The path of registration files, by the digest of the minted document: the contract's base URI is the service's URL
 * and this path.
 */
export const REGISTRATION_FILES_PATH = "/api/metadata/agent/";

export const toAgentRegistry = (chainId: number, identity: string): string => `eip155:${chainId}:${identity}`;

export interface Registration {
  /** A number as in ERC-8004's own files; decimal text above 2^53 - 1, because JSON readers would change its digits. */
  readonly agentId: number | string;
  /** `eip155:CHAIN:ADDRESS`. */
  readonly agentRegistry: string;
}

export const toRegistration = (agentId: bigint, agentRegistry: string): Registration => ({
  agentId: agentId <= Number.MAX_SAFE_INTEGER ? Number(agentId) : agentId.toString(),
  agentRegistry,
});

/** ERC-721 "Metadata JSON Schema" and ERC-8004 "Agent Registration File". */
export function createIdentityMetadata(
  facts: AgentFacts,
  context: { readonly wallet: string; readonly image: string; readonly externalUrl: string },
) {
  const attributes = [
    { trait_type: "Type", value: facts.agentType ?? "agent" },
    ...(facts.hardwareResources === undefined ? [] : [{ trait_type: "Hardware", value: facts.hardwareResources }]),
  ];
  return {
    type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
    name: facts.agentName,
    description: facts.description ?? `${facts.agentName} plays in the Agent Arcade.`,
    image: facts.image ?? context.image,
    external_url: context.externalUrl,
    services: facts.services ?? [],
    active: true,
    registrations: [] as readonly Registration[],
    supportedTrust: ["reputation"],
    attributes: [...attributes, { trait_type: "Wallet", value: context.wallet }],
  };
}

export type AgentDocument = ReturnType<typeof createIdentityMetadata>;

/** The wallet that a document was made for; null if it has none. */
export const getDocumentWallet = ({ attributes }: AgentDocument): string | null =>
  attributes.find(({ trait_type }) => trait_type === "Wallet")?.value ?? null;

/**
 * The registration file of the identities that were minted with a document. The document was signed before they had an
 * id, so its own `registrations` is empty; with an empty list the file has the document's bytes.
 */
export function createRegistrationFile(document: AgentDocument, agentIds: readonly bigint[], registry: string): string {
  const registrations = agentIds.map((agentId) => toRegistration(agentId, registry));
  return JSON.stringify({ ...document, registrations });
}
