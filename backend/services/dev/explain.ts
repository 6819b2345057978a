import type { Address, Hex } from "viem";
import { isSameAddress } from "../../../domain/addresses.ts";
import { type AnyTypedData, computeHashes, findOwnTypes, type Hashes } from "../../../domain/typed-data/explain.ts";
import { type Change, generateChanges, repairSignature } from "../../../domain/typed-data/explain-changes.ts";
import { DOMAIN_NAMES, DOMAIN_VERSION, encodeType, TYPED_MESSAGES } from "../../../domain/typed-data/messages.ts";
import type { ChainReader, ContractDomain } from "../../ports/chain.ts";
import type { Worker } from "../../ports/system.ts";

export interface ExplainRequest {
  readonly typedData: AnyTypedData;
  readonly signature: Hex;
  /** Absent: the signers that the message's contract accepts, or the signer in a field of the message. */
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
  /** The contract that checks the message, and its own domain; null if none is known. */
  readonly contract: Address | null;
  readonly chainDomain: ContractDomain | null;
  /** Where the payload differs from the contract's `eip712Domain()` and the table of types. */
  readonly differences: readonly Difference[];
  /** What was signed instead, if that was found. */
  readonly signedInstead: Omit<Change, "digest"> | null;
}

interface ExplainPorts {
  readonly chain: Pick<ChainReader, "deployment" | "getDomain" | "getSigners">;
  readonly worker: Pick<Worker, "recoverDigest">;
}

/** The maximum number of changes that are tried. */
const CHANGES_MAX = 600;

const findAddress = (addresses: readonly Address[], wanted: unknown): Address | undefined =>
  typeof wanted === "string" ? addresses.find((address) => isSameAddress(address, wanted)) : undefined;

/** Fields of the domain that differ from the expected one; null: no domain is known. */
function findDomainDifferences(received: AnyTypedData["domain"], expected: object | null): Difference[] {
  if (expected === null) return [];
  const found: Difference[] = [];
  for (const [field, value] of Object.entries(expected)) {
    const given = received[field];
    const isExact = field === "name" || field === "version";
    const isSame = isExact ? given === value : String(given).toLowerCase() === String(value).toLowerCase();
    if (!isSame)
      found.push({ field: `domain.${field}`, expected: String(value), received: String(given ?? "(absent)") });
  }
  for (const field of Object.keys(received))
    if (!(field in expected))
      found.push({ field: `domain.${field}`, expected: "(absent)", received: String(received[field]) });
  return found;
}

function findTypeDifferences({ primaryType }: AnyTypedData, hashes: Hashes): Difference[] {
  const types = findOwnTypes(primaryType);
  const expected = types === null ? hashes.typeString : encodeType(types, primaryType);
  return expected === hashes.typeString ? [] : [{ field: "types", expected, received: hashes.typeString }];
}

/** Explains why a signature recovers to another address: what the contract expects, what was given, what was signed. */
export class TypedDataExplainer {
  readonly #ports: ExplainPorts;

  constructor(ports: ExplainPorts) {
    this.#ports = ports;
  }

  /** Explains a typed message, who signed it, and why the signature recovers to another address. */
  async explain(request: ExplainRequest): Promise<Explanation> {
    const { chain, worker } = this.#ports;
    const { typedData, signature } = request;
    const hashes = computeHashes(typedData);
    const contract = this.#findContract(typedData);
    const chainDomain = contract === null ? null : await chain.getDomain(contract);
    const expectedSigners = await this.#findExpectedSigners(request, contract);
    const { problem, repaired } = repairSignature(signature);
    const recovered = await worker.recoverDigest(hashes.digest, repaired ?? signature);
    const isExpected = findAddress(expectedSigners, recovered) !== undefined;
    const differences = [
      ...findDomainDifferences(typedData.domain, chainDomain ?? this.#getBallotDomain(typedData)),
      ...findTypeDifferences(typedData, hashes),
    ];
    const isSettled = isExpected || recovered === null || expectedSigners.length === 0;
    const change = isSettled ? null : await this.#findChange(request, repaired ?? signature, expectedSigners);
    return {
      matches: isExpected && problem === null,
      sentence: describeResult({ isExpected, problem, recovered, expectedSigners, differences, change }),
      primaryType: typedData.primaryType,
      domain: typedData.domain,
      ...hashes,
      recovered,
      signatureFault: problem,
      expectedSigners,
      contract,
      chainDomain,
      differences,
      signedInstead: change === null ? null : { field: change.field, given: change.given, signed: change.signed },
    };
  }

  #listContracts(): readonly Address[] {
    const { identity, rewards, nft } = this.#ports.chain.deployment;
    return [identity, rewards, ...Object.values(nft)];
  }

  /** The contract that checks the message, or the one in the domain. */
  #findContract({ domain, primaryType }: AnyTypedData): Address | null {
    const { deployment } = this.#ports.chain;
    const row = Object.hasOwn(TYPED_MESSAGES, primaryType) ? TYPED_MESSAGES[primaryType as "Snapshot"] : null;
    const kind = row?.domain as keyof typeof DOMAIN_NAMES | undefined;
    if (kind === "voting") return null;
    if (kind === "identity" || kind === "rewards") return deployment[kind];
    const named = domain.verifyingContract;
    const known = findAddress(this.#listContracts(), named);
    if (known !== undefined) return known;
    const byName = Object.entries(deployment.nft).find(([slug]) => DOMAIN_NAMES.gameNft(slug) === domain.name);
    if (byName !== undefined) return byName[1];
    return typeof named === "string" ? (named as Address) : null;
  }

  async #findExpectedSigners(request: ExplainRequest, contract: Address | null): Promise<readonly Address[]> {
    if (request.expectedSigner !== undefined) return [request.expectedSigner];
    const { primaryType, message } = request.typedData;
    const named = {
      Vote: message.walletAddress,
      AgentWalletSet: message.newWallet,
    }[primaryType];
    if (typeof named === "string") return [named as Address];
    return contract === null ? [] : this.#ports.chain.getSigners(contract);
  }

  /** The domain of ballots, which the service itself checks; null for other messages. */
  #getBallotDomain({ primaryType }: AnyTypedData) {
    if (primaryType !== "Vote") return null;
    return { name: DOMAIN_NAMES.voting(), version: DOMAIN_VERSION, chainId: this.#ports.chain.deployment.chainId };
  }

  /** Finds a change of the payload that makes the signature an expected signer's. */
  async #findChange(request: ExplainRequest, signature: Hex, expected: readonly Address[]): Promise<Change | null> {
    const { chain, worker } = this.#ports;
    const own = await Promise.all(this.#listContracts().map((address) => chain.getDomain(address)));
    const domains = own.filter((domain) => domain !== null);
    let tried = 0;
    for (const change of generateChanges(request.typedData, { domains: domains as never })) {
      tried += 1;
      if (tried > CHANGES_MAX) return null;
      const signer = await worker.recoverDigest(change.digest, signature);
      if (findAddress(expected, signer) !== undefined) return change;
    }
    return null;
  }
}

function describeResult(facts: {
  readonly isExpected: boolean;
  readonly problem: string | null;
  readonly recovered: Address | null;
  readonly expectedSigners: readonly Address[];
  readonly differences: readonly Difference[];
  readonly change: Change | null;
}): string {
  const { isExpected, problem, recovered, expectedSigners, differences, change } = facts;
  const [first] = differences;
  const mismatch =
    first === undefined ? "" : ` Its ${first.field} is ${first.received}, the chain expects ${first.expected}.`;
  if (isExpected && problem !== null)
    return `The signer is the expected one, but the signature is refused: ${problem}.${mismatch}`;
  if (isExpected) {
    return first === undefined
      ? `${recovered}, the expected signer, signed exactly this.`
      : `${recovered}, the expected signer, signed exactly this, but it is not what the contract checks.${mismatch}`;
  }
  if (change !== null)
    return `${change.field} differs: the payload has ${change.given}, the signed message has ${change.signed}.${mismatch}`;
  if (recovered === null) return `The signature cannot be read: ${problem ?? "it belongs to no key"}.${mismatch}`;
  if (expectedSigners.length === 0) return `${recovered} signed this; the request has no expected signer.${mismatch}`;
  return `The signature recovers to ${recovered}, expected ${expectedSigners.join(" or ")}: another key signed, or something that differs in more than one field.${mismatch}`;
}
