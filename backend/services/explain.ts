import { type AnyTypedData, type Hashes, hashesOf, ownTypesOf, typeStringOf } from "../domain/explain.ts";
import { type Change, changesOf, repairSignature } from "../domain/explain-changes.ts";
import { DOMAIN_NAMES, TYPED_MESSAGES } from "../domain/typed-data.ts";
import type { Address, ChainReader, ContractDomain, Hex, Worker } from "../ports.ts";

export interface ExplainRequest {
  readonly typedData: AnyTypedData;
  readonly signature: Hex;
  /** Who should have signed; absent: whoever the message's contract or field names. */
  readonly expectedSigner?: Address;
}

export interface Difference {
  readonly field: string;
  readonly expected: string;
  readonly received: string;
}

export interface Explanation extends Hashes {
  /** The signature is an expected signer's over exactly this payload. */
  readonly matches: boolean;
  readonly sentence: string;
  readonly primaryType: string;
  readonly domain: AnyTypedData["domain"];
  readonly recovered: Address | null;
  readonly signatureFault: string | null;
  readonly expectedSigners: readonly Address[];
  /** The contract that would check the message, and its own domain; null where none is known. */
  readonly contract: Address | null;
  readonly chainDomain: ContractDomain | null;
  /** Where the payload differs from the contract's `eip712Domain()` and the table of types. */
  readonly differences: readonly Difference[];
  /** What was signed instead, where that could be found. */
  readonly signedInstead: Omit<Change, "digest"> | null;
}

interface ExplainPorts {
  readonly chain: Pick<ChainReader, "deployment" | "domainOf" | "signersOf">;
  readonly worker: Pick<Worker, "recoverDigest">;
}

export type Explain = ReturnType<typeof makeExplain>;

/** Tries at most so many changes: more is no explanation any more. */
const CHANGES_MAX = 600;

/** Says why a signature recovers to another address: what the contract expects, what was given, what was signed. */
export function makeExplain({ chain, worker }: ExplainPorts) {
  const { deployment } = chain;

  const contracts = (): readonly Address[] => [
    deployment.identity,
    deployment.rewards,
    ...Object.values(deployment.nft),
  ];

  /** The contract that knows the message, else the one the domain names. */
  function contractOf({ domain, primaryType }: AnyTypedData): Address | null {
    const row = Object.hasOwn(TYPED_MESSAGES, primaryType) ? TYPED_MESSAGES[primaryType as "Snapshot"] : null;
    const kind = row?.domain as keyof typeof DOMAIN_NAMES | undefined;
    if (kind === "voting") return null;
    if (kind === "identity") return deployment.identity;
    if (kind === "rewards") return deployment.rewards;
    const named = domain.verifyingContract;
    const known = contracts().find(
      (address) => typeof named === "string" && address.toLowerCase() === named.toLowerCase(),
    );
    if (known !== undefined) return known;
    const byName = Object.entries(deployment.nft).find(([slug]) => DOMAIN_NAMES.gameNft(slug) === domain.name);
    if (byName !== undefined) return byName[1];
    return typeof named === "string" ? (named as Address) : null;
  }

  async function expectedOf(request: ExplainRequest, contract: Address | null): Promise<readonly Address[]> {
    if (request.expectedSigner !== undefined) return [request.expectedSigner];
    const { primaryType, message } = request.typedData;
    const own = { Vote: message.walletAddress, AgentWalletSet: message.newWallet }[primaryType];
    if (typeof own === "string") return [own as Address];
    return contract === null ? [] : chain.signersOf(contract);
  }

  function differencesOf(data: AnyTypedData, hashes: Hashes, expected: object | null): Difference[] {
    const found: Difference[] = [];
    for (const [field, value] of Object.entries(expected ?? {})) {
      const received = data.domain[field];
      const same = String(received).toLowerCase() === String(value).toLowerCase();
      const exact = field === "name" || field === "version" ? received === value : same;
      if (!exact)
        found.push({ field: `domain.${field}`, expected: String(value), received: String(received ?? "(absent)") });
    }
    for (const field of Object.keys(expected === null ? {} : data.domain))
      if (!(field in expected!))
        found.push({ field: `domain.${field}`, expected: "(absent)", received: String(data.domain[field]) });
    const own = ownTypesOf(data.primaryType);
    const typeString = own === null ? null : typeStringOf(own, data.primaryType);
    if (typeString !== null && typeString !== hashes.typeString)
      found.push({ field: "types", expected: typeString, received: hashes.typeString });
    return found;
  }

  /** What the message's checker calls its domain; ballots are checked by the service itself. */
  function ballotDomain(data: AnyTypedData) {
    if (data.primaryType !== "Vote") return null;
    return { name: DOMAIN_NAMES.voting(), version: "1", chainId: deployment.chainId };
  }

  async function findChange(
    request: ExplainRequest,
    signature: Hex,
    expected: readonly Address[],
  ): Promise<Change | null> {
    const own = await Promise.all(contracts().map((address) => chain.domainOf(address)));
    const domains = own.filter((domain) => domain !== null);
    const wanted = new Set(expected.map((address) => address.toLowerCase()));
    let tried = 0;
    for (const change of changesOf(request.typedData, { domains: domains as never })) {
      tried += 1;
      if (tried > CHANGES_MAX) return null;
      const signer = await worker.recoverDigest(change.digest, signature);
      if (signer !== null && wanted.has(signer.toLowerCase())) return change;
    }
    return null;
  }

  return async function explain(request: ExplainRequest): Promise<Explanation> {
    const { typedData, signature } = request;
    const hashes = hashesOf(typedData);
    const contract = contractOf(typedData);
    const chainDomain = contract === null ? null : await chain.domainOf(contract);
    const expectedSigners = await expectedOf(request, contract);
    const { fault, repaired } = repairSignature(signature);
    const usable = repaired ?? signature;
    const recovered = await worker.recoverDigest(hashes.digest, usable);
    const isExpected = expectedSigners.some((address) => address.toLowerCase() === recovered?.toLowerCase());
    const differences = differencesOf(typedData, hashes, chainDomain ?? ballotDomain(typedData));
    const nothingToFind = isExpected || recovered === null || expectedSigners.length === 0;
    const change = nothingToFind ? null : await findChange(request, usable, expectedSigners);
    const matches = isExpected && fault === null;
    const { digest: _, ...signedInstead } = change ?? { digest: null };
    return {
      matches,
      sentence: sentenceOf({ isExpected, fault, recovered, expectedSigners, differences, change }),
      primaryType: typedData.primaryType,
      domain: typedData.domain,
      ...hashes,
      recovered,
      signatureFault: fault,
      expectedSigners,
      contract,
      chainDomain,
      differences,
      signedInstead: change === null ? null : (signedInstead as Omit<Change, "digest">),
    };
  };
}

function sentenceOf(facts: {
  readonly isExpected: boolean;
  readonly fault: string | null;
  readonly recovered: Address | null;
  readonly expectedSigners: readonly Address[];
  readonly differences: readonly Difference[];
  readonly change: Change | null;
}): string {
  const { isExpected, fault, recovered, expectedSigners, differences, change } = facts;
  const [first] = differences;
  const mismatch =
    first === undefined ? "" : ` Its ${first.field} is ${first.received}, the chain expects ${first.expected}.`;
  if (isExpected && fault !== null)
    return `The signer is the expected one, but the signature is refused: ${fault}.${mismatch}`;
  if (isExpected) {
    return first === undefined
      ? `${recovered}, the expected signer, signed exactly this.`
      : `${recovered}, the expected signer, signed exactly this, but it is not what the contract checks.${mismatch}`;
  }
  if (change !== null)
    return `${change.field} differs: the payload says ${change.given}, what was signed says ${change.signed}.${mismatch}`;
  if (recovered === null) return `The signature cannot be read: ${fault ?? "it belongs to no key"}.${mismatch}`;
  if (expectedSigners.length === 0) return `${recovered} signed this; nobody says who should have.${mismatch}`;
  return `The signature recovers to ${recovered}, expected ${expectedSigners.join(" or ")}: another key signed, or something that differs in more than one field.${mismatch}`;
}
