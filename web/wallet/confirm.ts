/** Shows the user everything before it is signed. */
import { type Abi, encodeFunctionData, formatEther, type PublicClient } from "viem";
import type { Address, TypedData } from "../../client/api.ts";
import type { ArcadeWallet, PreparedCall } from "../../client/wallet.ts";
import { renderCall, renderMessage } from "../../domain/typed-data/clear-signing/render.ts";
import { formatDateTime } from "../labels/shared.ts";
import { SIGNING_LABELS } from "../labels/signing.ts";
import { getContractName, type SiteChain } from "./chain.ts";
import { describeArguments, describeTypedData, estimateGas } from "./describe.ts";
import { confirmSigning, type ShownCall } from "./signing-requests.ts";

interface ConfirmationPorts {
  readonly chain: SiteChain;
  readonly publicClient: PublicClient;
}

/** The intent from the clear-signing descriptors; null if there is none. */
const toMessageIntent = (chain: SiteChain, typedData: TypedData): string | null =>
  toSaleSentence(chain, typedData) ?? renderMessage(typedData, toFacts(chain))?.intent ?? null;
const toCallIntent = (chain: SiteChain, call: Parameters<typeof renderCall>[0]): string | null =>
  renderCall(call, toFacts(chain))?.intent ?? null;
const toFacts = (chain: SiteChain) => ({ getName: (address: string) => getContractName(chain, address as Address) });

interface OrderItem {
  readonly itemType: number;
  readonly token: Address;
  readonly identifierOrCriteria: string | bigint;
  readonly startAmount: string | bigint;
}

/** What a Seaport order sells, for how much and how long; null for other messages and for prices not in ether. */
function toSaleSentence(chain: SiteChain, { primaryType, message }: TypedData): string | null {
  if (primaryType !== "OrderComponents") return null;
  const { offer, consideration, endTime } = message as unknown as {
    readonly offer: readonly OrderItem[];
    readonly consideration: readonly OrderItem[];
    readonly endTime: string | number | bigint;
  };
  const [sold] = offer;
  if (sold === undefined || offer.length > 1 || consideration.some(({ itemType }) => itemType !== 0)) return null;
  const wei = consideration.reduce((sum, { startAmount }) => sum + BigInt(startAmount), 0n);
  const name = `${getContractName(chain, sold.token) ?? sold.token} #${sold.identifierOrCriteria}`;
  return SIGNING_LABELS.sale(name, formatEther(wei), formatDateTime(new Date(Number(endTime) * 1000).toISOString()));
}

const toShownTypedData = (chain: SiteChain, typedData: TypedData) => ({
  intent: toMessageIntent(chain, typedData),
  primaryType: typedData.primaryType,
  domain: `${typedData.domain.name} ${typedData.domain.version}`,
  rows: describeTypedData(chain, typedData),
});

/** A wallet that shows each signature and each transaction first. */
export function withConfirmation(wallet: ArcadeWallet, { chain, publicClient }: ConfirmationPorts): ArcadeWallet {
  const { address, sendCalls } = wallet;
  return {
    ...wallet,
    async signMessage(message) {
      await confirmSigning(address, { kind: "message", text: message });
      return wallet.signMessage(message);
    },
    async signTypedData(typedData) {
      await confirmSigning(address, { kind: "typedData", ...toShownTypedData(chain, typedData) });
      return wallet.signTypedData!(typedData);
    },
    async sendCall(call, signed) {
      await confirmSigning(address, {
        kind: "transaction",
        calls: [await toShownCall({ chain, publicClient }, address, { call, ...toSigned(signed) })],
      });
      return wallet.sendCall(call, signed);
    },
    ...(sendCalls === undefined
      ? {}
      : {
          async sendCalls(calls: readonly PreparedCall[]) {
            const shown = calls.map((call) => toShownCall({ chain, publicClient }, address, call));
            await confirmSigning(address, { kind: "transaction", calls: await Promise.all(shown) });
            return sendCalls(calls);
          },
        }),
  };
}

const toSigned = (typedData: TypedData | undefined) => (typedData === undefined ? {} : { typedData });

/** The description of a call and of the message that the service signed for it. */
async function toShownCall(
  { chain, publicClient }: ConfirmationPorts,
  from: Address,
  { call, typedData }: PreparedCall,
): Promise<ShownCall> {
  const { to, data, functionName } = call;
  const value = BigInt(call.value);
  const gas = await estimateGas(publicClient, { from, to, data, value });
  const rows = describeArguments(chain, call);
  return {
    intent: toCallIntent(chain, call),
    transaction: { contractName: getContractName(chain, to), to, functionName, rows, value, data, gas },
    signed: typedData === undefined ? null : toShownTypedData(chain, typedData),
  };
}

/** Shows a call that the service has not prepared before it is sent. */
export async function confirmContractCall(
  { chain, publicClient }: ConfirmationPorts,
  address: Address,
  call: {
    readonly to: Address;
    readonly abi: Abi;
    readonly functionName: string;
    readonly args: readonly unknown[];
    readonly value: bigint;
  },
): Promise<void> {
  const { to, abi, functionName, args, value } = call;
  const data = encodeFunctionData({ abi, functionName, args });
  const gas = await estimateGas(publicClient, { from: address, to, data, value });
  const rows = describeArguments(chain, { functionName, args }, abi);
  const transaction = { contractName: getContractName(chain, to), to, functionName, rows, value, data, gas };
  await confirmSigning(address, {
    kind: "transaction",
    calls: [{ intent: toCallIntent(chain, { functionName, args }), transaction, signed: null }],
  });
}
