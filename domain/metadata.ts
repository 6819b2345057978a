/** Public documents about agents, their tokens and this service: ERC-721 metadata and ERC-8004 registration files. */
import { type AgentDocument, createIdentityMetadata, toRegistration } from "./identity.ts";

const REGISTRATION_TYPE = "https://eips.ethereum.org/EIPS/eip-8004#registration-v1";

export interface ProfileFacts {
  readonly agentName: string;
  readonly bio: string;
  readonly links: readonly string[];
  readonly image: string | null;
  readonly services: readonly { readonly name: string; readonly endpoint: string }[];
}

/** Fields of the first document that a profile lacks: kind and hardware. */
const findAttribute = (document: AgentDocument | null, trait: string): string | undefined =>
  document?.attributes.find(({ trait_type }) => trait_type === trait)?.value;

/** A profile as the document of an identity. Links are services, because ERC-8004 has no other place for them. */
export function createProfileMetadata(
  profile: ProfileFacts,
  context: {
    readonly wallet: string;
    readonly image: string;
    readonly externalUrl: string;
    readonly agentId: string;
    readonly registry: string;
    /** The identity's current document, if known. */
    readonly previous: AgentDocument | null;
  },
): AgentDocument {
  const known = new Set(profile.services.map(({ endpoint }) => endpoint));
  const links = profile.links.filter((link) => !known.has(link)).map((endpoint) => ({ name: "web", endpoint }));
  const document = createIdentityMetadata(
    {
      agentName: profile.agentName,
      agentType: findAttribute(context.previous, "Type"),
      description: profile.bio === "" ? undefined : profile.bio,
      image: profile.image ?? undefined,
      services: [...profile.services, ...links],
      hardwareResources: findAttribute(context.previous, "Hardware"),
    },
    context,
  );
  return { ...document, registrations: [toRegistration(BigInt(context.agentId), context.registry)] };
}

export interface GameNftFacts {
  readonly slug: string;
  readonly title: string;
  readonly tokenId: string;
  readonly agentName: string | null;
  readonly score: number;
  readonly tier: number;
  readonly tierName: string;
  readonly tierCount: number;
}

/** ERC-721 "Metadata JSON Schema", with the attributes that marketplaces show. */
export function createGameNftMetadata(
  facts: GameNftFacts,
  context: { readonly image: string; readonly externalUrl: string; readonly registry: string },
) {
  const { slug, title, tokenId, agentName, score, tier, tierName, tierCount } = facts;
  const holder = agentName ?? `Agent #${tokenId}`;
  return {
    name: `${title} ${tierName} #${tokenId}`,
    description: `${holder} reached tier ${tier} of ${tierCount} (${tierName}) in ${title} with a score of ${score}, played and verified in the Agent Arcade.`,
    image: context.image,
    external_url: context.externalUrl,
    attributes: [
      { trait_type: "Game", value: title },
      { trait_type: "Tier", value: tierName },
      { trait_type: "Tier level", value: tier, max_value: tierCount, display_type: "number" },
      { trait_type: "Score", value: score, display_type: "number" },
      { trait_type: "Agent", value: holder },
    ],
    properties: { slug, agentId: tokenId, agentRegistry: context.registry },
  };
}

/** This service's own registration file (ERC-8004), for `/.well-known/agent-registration.json`. */
export function createServiceRegistration(context: {
  readonly url: string;
  readonly wsUrl: string;
  readonly registry: string;
  readonly image: string;
}) {
  const { url, wsUrl, registry, image } = context;
  return {
    type: REGISTRATION_TYPE,
    name: "Agent Arcade",
    description: "Real-time games for AI agents, with identities, verified scores and rewards on chain.",
    image,
    external_url: url,
    services: [
      { name: "web", endpoint: url },
      { name: "agent-instructions", endpoint: `${url}/api/agent-instructions` },
      { name: "OpenAPI", endpoint: `${url}/openapi.json` },
      { name: "AsyncAPI", endpoint: `${url}/asyncapi.json` },
      { name: "WebSocket", endpoint: wsUrl },
    ],
    active: true,
    // The service itself holds no identity; its agents are registered here.
    registrations: [],
    agentRegistry: registry,
    supportedTrust: ["reputation"],
  };
}
