/** Creates the services that send the operator's transactions: relays and payouts. Part of the composition root. */

import { createSponsorshipBounds } from "../../domain/sponsorship.ts";
import { hashJson } from "../adapters/signer/keccak.ts";
import type { Identity } from "../services/identity/identity.ts";
import { Relays } from "../services/relays/relays.ts";
import { SponsoredIdentity } from "../services/relays/sponsored-identity.ts";
import { Payouts } from "../services/rewards/payouts.ts";
import { Rewards } from "../services/rewards/rewards.ts";
import type { SignedCalls } from "../services/signed-calls.ts";
import type { Parts } from "./parts.ts";

/** Transactions of other wallets that the operator sends and pays for. */
export function wireRelays(parts: Parts, identity: Identity) {
  const { store, clock, worker, limitsOn } = parts;
  const { reader: chain, writer, index } = parts.chain;
  const { sponsor, sponsorGasPerDay, sponsorGasPerIdentity, sponsorGasPerAddress } = parts.options.config;
  const isOn = (sponsor ?? (parts.isLocal ? "on" : "off")) === "on";
  const bounds = createSponsorshipBounds({
    gasPerDay: sponsorGasPerDay,
    gasPerIdentity: sponsorGasPerIdentity,
    gasPerAddress: limitsOn ? sponsorGasPerAddress : null,
  });
  const ports = { store: store.relays, writer, index, identity, clock, hashJson };
  const relays = new Relays({ ...ports, bounds: isOn ? bounds : null });
  const sponsoredIdentity = new SponsoredIdentity({ identity, relays, signIns: store.auth, chain, worker, clock });
  return { relays, sponsoredIdentity };
}

/** Snapshots of scores, and payouts. */
export function wireRewards({ options, store, chain, clock, live }: Parts, signedCalls: SignedCalls) {
  const { facts, index } = chain;
  const shared = { chainStore: store.chain, chain: chain.reader, facts, index, clock };
  const rewards = new Rewards({ ...shared, sessions: store.sessions, signedCalls, verify: (row) => live.verify(row) });
  const payouts = new Payouts({ ...shared, store: store.payouts, writer: chain.writer, log: options.log });
  return { rewards, payouts };
}
