import type { Address } from "viem";
import { toAgentRegistry } from "../../../domain/identity.ts";
import { createProfileMetadata } from "../../../domain/metadata.ts";
import { toIso } from "../../../domain/time.ts";
import { createCall } from "../../../domain/typed-data/calls.ts";
import type { ChainFacts } from "../../ports/chain.ts";
import type { IdentityStore, ProfileFields, ProfileRow } from "../../ports/store/identity.ts";
import type { Clock } from "../../ports/system.ts";
import type { Identity } from "./identity.ts";

interface ProfilePorts {
  readonly store: Pick<IdentityStore, "findProfile" | "changeProfile">;
  readonly chain: Pick<ChainFacts, "deployment" | "getIdentity">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly identity: Pick<Identity, "findAgentId" | "requireIdentity" | "getDocument" | "publish">;
  readonly publicUrl: () => string;
}

/** Fields that are absent or undefined keep their value. */
type ProfileChange = { readonly [Field in keyof ProfileFields]?: ProfileFields[Field] | undefined };

const pickDefined = (change: ProfileChange): Partial<ProfileFields> =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));

const toProfileView = ({ updatedAtMs, wallet, ...fields }: ProfileRow, agentId: string | null) => ({
  walletAddress: wallet,
  agentId,
  ...fields,
  updatedAt: toIso(updatedAtMs),
});

/** Profiles that agents write about themselves; one per wallet. */
export class Profiles {
  readonly #ports: ProfilePorts;

  constructor(ports: ProfilePorts) {
    this.#ports = ports;
  }

  /** The profile of a wallet, or of an identity's owner; null if there is none. */
  async get(query: { readonly walletAddress?: Address | undefined; readonly agentId?: string | undefined }) {
    const { store, chain, identity } = this.#ports;
    const { walletAddress, agentId } = query;
    const wallet = walletAddress ?? (await chain.getIdentity(BigInt(agentId ?? 0)))?.owner;
    const row = wallet === undefined ? null : await store.findProfile(wallet);
    if (row === null) return { profile: null };
    const ownId = agentId ?? (await identity.findAgentId(row.wallet));
    return { profile: toProfileView(row, ownId) };
  }

  /** Changes the given fields of the wallet's profile. Throws `IDENTITY_REQUIRED`. */
  async upsert(wallet: Address, change: ProfileChange) {
    const { store, clock, identity } = this.#ports;
    const agentId = await identity.requireIdentity(wallet);
    const initial = await this.#createInitialFields(agentId);
    const row = await store.changeProfile(wallet, pickDefined(change), initial, clock.nowMs());
    return { profile: toProfileView(row, agentId) };
  }

  /** Publishes the profile's document and returns the call that points the identity to it. `change` is not stored. */
  async prepareMetadata(wallet: Address, change: ProfileChange) {
    const { store, chain, identity, publicUrl } = this.#ports;
    const { chainId, identity: registry } = chain.deployment;
    const agentId = await identity.requireIdentity(wallet);
    const stored = (await store.findProfile(wallet)) ?? (await this.#createInitialFields(agentId));
    const metadata = createProfileMetadata(
      { ...stored, ...pickDefined(change) },
      {
        wallet,
        agentId,
        registry: toAgentRegistry(chainId, registry),
        image: `${publicUrl()}/api/metadata/identity/${wallet}.svg`,
        externalUrl: `${publicUrl()}/`,
        previous: await identity.getDocument(agentId),
      },
    );
    const { digest, tokenURI } = await identity.publish(metadata, null);
    const call = createCall(chainId, registry, "setAgentURI", [agentId, tokenURI]);
    return { metadata, tokenURI, metadataDigest: digest, call };
  }

  /** An agent's first profile: the facts of its registration, if this service stores them. */
  async #createInitialFields(agentId: string): Promise<ProfileFields> {
    const document = await this.#ports.identity.getDocument(agentId);
    return {
      agentName: document?.name ?? `Agent #${agentId}`,
      bio: document?.description ?? "",
      links: [],
      image: null,
      services: document?.services ?? [],
    };
  }
}
