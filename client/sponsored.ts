/** Steps whose gas the operator pays: the service sends the call, the flow waits for its block. */
import type { Address, Hex } from "viem";
import { createTypedData } from "../domain/typed-data/messages.ts";
import type { Input, RelayView, TypedData } from "./api.ts";
import { checkMessage, createRefusal } from "./check-call.ts";
import type { ArcadeClient } from "./client.ts";
import { ArcadeChainError } from "./errors.ts";
import type { ArcadeWallet } from "./wallet.ts";

const POLL_ATTEMPTS = 240;
const POLL_MS = 500;

/** Waits until a block holds the relayed transaction. Throws `REVERTED`, `TX_TIMEOUT`. */
export async function waitForRelay(client: ArcadeClient, initial: RelayView): Promise<RelayView> {
  let relay = initial;
  for (let tries = 0; relay.status === "queued" || relay.status === "sent"; tries++) {
    if (tries === POLL_ATTEMPTS) {
      const message = `Relay ${relay.relayId} still waits for its block; request it again later.`;
      throw new ArcadeChainError("TX_TIMEOUT", message, { txHash: relay.txHash });
    }
    await client.retry.sleep(POLL_MS);
    relay = await client.relays.get({ relayId: relay.relayId });
  }
  client.seeBlock(relay.block ?? 0);
  if (relay.status === "included") return relay;
  throw new ArcadeChainError("REVERTED", `The relayed transaction ${relay.txHash} has failed.`, {
    txHash: relay.txHash,
  });
}

/** The consent to sign, built here from checked fields. Throws `CALL_REFUSED` if the service's message differs. */
function createConsent(
  received: TypedData,
  { chainId, identity, wallet }: { readonly chainId: number; readonly identity: Address; readonly wallet: Address },
): TypedData {
  const { metadataDigest, nonce, deadline } = received.message;
  const message = { to: wallet, metadataDigest, nonce, deadline };
  const own = createTypedData("ConsentToMint", { chainId, verifyingContract: identity }, message as never);
  checkMessage("consent", own, received);
  return own as TypedData;
}

/** Signs the wallet's consent to its identity mint, and lets the operator send it. */
export async function mintByConsent(
  client: ArcadeClient,
  wallet: ArcadeWallet,
  registration: Omit<Input<"identity.register">, "sponsor" | "consent">,
): Promise<RelayView> {
  if (wallet.signTypedData === undefined)
    throw new TypeError("A sponsored registration needs a wallet with signTypedData");
  // The service pays only for wallets that have signed in.
  await client.signIn.accessToken();
  const prepared = await client.identity.registerSponsored({ ...registration, sponsor: true });
  if (prepared.mode === "relayed") return waitForRelay(client, prepared);
  const { chainId, identity } = await client.getContracts();
  const typedData = createConsent(prepared.consent, { chainId, identity, wallet: wallet.address });
  const consent: Hex = await wallet.signTypedData(typedData);
  const { deadline, nonce } = prepared;
  const relayed = await client.identity.registerSponsored({
    ...registration,
    sponsor: true,
    deadline,
    nonce,
    consent,
  });
  if (relayed.mode === "relayed") return waitForRelay(client, relayed);
  throw createRefusal("mode", "relayed", relayed.mode);
}
