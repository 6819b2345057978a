import { type Address, type Hex, hashTypedData, type TypedDataDefinition } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import { createCall } from "../../../domain/typed-data/calls.ts";
import { createTypedData, type TypedData } from "../../../domain/typed-data/messages.ts";
import type { ChainReader } from "../../ports/chain.ts";
import type { AuthStore } from "../../ports/store/auth.ts";
import type { Clock, Worker } from "../../ports/system.ts";
import { listTypedDataMistakes, proveSignature } from "../auth/wallet-signature.ts";
import type { Identity, RegisterRequest } from "../identity/identity.ts";
import type { RelayRequest, Relays } from "./relays.ts";

interface SponsoredIdentityPorts {
  readonly identity: Pick<Identity, "register">;
  readonly relays: Pick<Relays, "requireBudget" | "send" | "toView">;
  readonly signIns: Pick<AuthStore, "hasSignIn">;
  readonly chain: Pick<ChainReader, "deployment" | "hasCode" | "isValidSignature">;
  readonly worker: Pick<Worker, "recoverTypedData" | "recoverDigest">;
  readonly clock: Pick<Clock, "nowMs">;
}

type PreparedMint = Awaited<ReturnType<Identity["register"]>>;

/** Identities of wallets that hold no ether: the wallet signs its consent, the operator sends the mint. */
export class SponsoredIdentity {
  readonly #ports: SponsoredIdentityPorts;

  constructor(ports: SponsoredIdentityPorts) {
    this.#ports = ports;
  }

  /** Without `consent` the message to sign, with it the relay. Throws `AUTH_REQUIRED`, `SPONSORSHIP_EXHAUSTED`. */
  async register(request: RegisterRequest, { ip, consent }: { readonly ip: string; readonly consent: Hex | null }) {
    const { identity, relays } = this.#ports;
    const wallet = request.walletAddress;
    await this.#requireSignIn(wallet);
    const mint = await identity.register(request);
    const relay: RelayRequest = { kind: "identity", wallet, ip };
    const consentTypedData = this.#createConsent(wallet, mint);
    if (consent === null) {
      await relays.requireBudget(relay, mint);
      return { mode: "consent" as const, ...mint, consent: consentTypedData };
    }
    const proven = await this.#checkConsent(wallet, consentTypedData, consent);
    const { tokenURI, metadata, nonce } = mint;
    const state = await relays.send(relay, mint, this.#createSponsoredCall(mint, proven));
    return { ...relays.toView(state), tokenURI, metadata, nonce };
  }

  async #requireSignIn(wallet: Address): Promise<void> {
    const { signIns, clock } = this.#ports;
    if (await signIns.hasSignIn(wallet, clock.nowMs())) return;
    const message = `Expected ${wallet} to have signed in, since its gas is to be paid; sign in at auth/nonce and auth/verify first.`;
    throw new ArcadeError("AUTH_REQUIRED", message);
  }

  #createConsent(wallet: Address, { typedData, verifyingContract }: PreparedMint): TypedData {
    const { chainId } = this.#ports.chain.deployment;
    return createTypedData("ConsentToMint", { chainId, verifyingContract }, { ...typedData.message, to: wallet });
  }

  async #checkConsent(wallet: Address, typedData: TypedData, signature: Hex): Promise<Hex> {
    const { chain, worker } = this.#ports;
    const getDigest = () => hashTypedData(typedData as unknown as TypedDataDefinition);
    const proven = await proveSignature(
      { chain, worker, allowErc1271: true },
      {
        wallet,
        signature,
        recovered: await worker.recoverTypedData(typedData, signature),
        getDigest,
        listMistakes: () => listTypedDataMistakes(getDigest()),
        isForChain: true,
        instruction: "sign `consent` of this route's response (EIP-712), and send `deadline` and `nonce` with it",
      },
    );
    return proven.signature;
  }

  #createSponsoredCall({ call, verifyingContract }: PreparedMint, consent: Hex) {
    return createCall(call.chainId, verifyingContract, "mintIdentityFor", [...call.args, consent]);
  }
}
