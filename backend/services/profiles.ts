import { makeCall } from "../domain/calls.ts";
import { registryOf } from "../domain/identity.ts";
import { profileMetadata } from "../domain/metadata.ts";
import { isoOf } from "../domain/time.ts";
import type { Address, ChainReader, Clock, IdentityStore, ProfileFields, ProfileRow } from "../ports.ts";
import type { Identity } from "./identity.ts";

interface ProfilePorts {
  readonly store: Pick<IdentityStore, "findProfile" | "changeProfile">;
  readonly chain: Pick<ChainReader, "deployment" | "identity">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly identity: Identity;
  readonly publicUrl: () => string;
}

export type Profiles = ReturnType<typeof makeProfiles>;

type Change = { readonly [Field in keyof ProfileFields]?: ProfileFields[Field] | undefined };

/** Only what was named, so that a field left out keeps its value. */
const named = (change: Change): Partial<ProfileFields> =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));

/** What agents tell about themselves; one profile a wallet. */
export function makeProfiles({ store, chain, clock, identity, publicUrl }: ProfilePorts) {
  const { chainId, identity: registry } = chain.deployment;

  const viewOf = ({ updatedAtMs, wallet, ...fields }: ProfileRow, agentId: string | null) => ({
    walletAddress: wallet,
    agentId,
    ...fields,
    updatedAt: isoOf(updatedAtMs),
  });

  /** What a profile begins with: what the agent was registered with, where that is known. */
  async function firstOf(agentId: string): Promise<ProfileFields> {
    const document = await identity.documentOf(agentId);
    return {
      agentName: document?.name ?? `Agent #${agentId}`,
      bio: document?.description ?? "",
      links: [],
      image: null,
      services: document?.services ?? [],
    };
  }

  return {
    /** Null where the wallet, or the owner of the identity, wrote none. */
    async get({
      walletAddress,
      agentId,
    }: {
      readonly walletAddress?: Address | undefined;
      readonly agentId?: string | undefined;
    }) {
      const wallet = walletAddress ?? (await chain.identity(BigInt(agentId ?? 0)))?.owner;
      const row = wallet === undefined ? null : await store.findProfile(wallet);
      return { profile: row === null ? null : viewOf(row, agentId ?? (await identity.agentIdOf(row.wallet))) };
    },

    async upsert(wallet: Address, change: Change) {
      const agentId = await identity.requireIdentity(wallet);
      const row = await store.changeProfile(wallet, named(change), await firstOf(agentId), clock.nowMs());
      return { profile: viewOf(row, agentId) };
    },

    /** Publishes the profile (with the named fields changed, which are not stored) and the call that points to it. */
    async metadata(wallet: Address, change: Change) {
      const agentId = await identity.requireIdentity(wallet);
      const fields = { ...((await store.findProfile(wallet)) ?? (await firstOf(agentId))), ...named(change) };
      const url = publicUrl();
      const metadata = profileMetadata(fields, {
        wallet,
        agentId,
        registry: registryOf(chainId, registry),
        image: `${url}/api/metadata/identity/${wallet}.svg`,
        externalUrl: `${url}/`,
        before: await identity.documentOf(agentId),
      });
      const { digest, tokenURI } = await identity.publish(metadata);
      const call = makeCall(chainId, registry, "setAgentURI", [agentId, tokenURI]);
      return { metadata, tokenURI, metadataDigest: digest, call };
    },
  };
}
