/** The form of ERC-7730 descriptors (schema v2, https://eips.ethereum.org/EIPS/eip-7730), as far as ours use it. */

export const DESCRIPTOR_SCHEMA = "https://eips.ethereum.org/assets/eip-7730/erc7730-v2.schema.json";

type FieldFormat = "raw" | "addressName" | "tokenAmount" | "nftName" | "date" | "unit";

export interface FieldDescriptor {
  /** The field's path in its message or call, or in its group. `@.` is the transaction itself. */
  readonly path: string;
  readonly label: string;
  readonly format: FieldFormat;
  readonly params?: { readonly [name: string]: unknown };
  /** Without it the field is always shown. */
  readonly visible?: "never" | "optional";
}

/** The fields of a tuple, or of each item of a list. */
export interface GroupDescriptor {
  readonly path: string;
  readonly label: string;
  readonly iteration?: "sequential";
  readonly fields: readonly (FieldDescriptor | GroupDescriptor)[];
}

export interface FormatDescriptor {
  /** What the signer wants, as an imperative. */
  readonly intent: string;
  readonly fields: readonly (FieldDescriptor | GroupDescriptor)[];
}

interface DeploymentDescriptor {
  readonly chainId: number;
  readonly address: string;
}

export interface Descriptor {
  readonly $schema: typeof DESCRIPTOR_SCHEMA;
  readonly context:
    | { readonly contract: { readonly deployments: readonly DeploymentDescriptor[] } }
    | {
        readonly eip712: {
          readonly domain: { readonly name?: string; readonly version: string };
          readonly deployments?: readonly DeploymentDescriptor[];
        };
      };
  readonly metadata: { readonly owner: string; readonly contractName?: string };
  /** By the function's signature with names, or by the message's type string. */
  readonly display: { readonly formats: { readonly [signature: string]: FormatDescriptor } };
}

export const isGroup = (field: FieldDescriptor | GroupDescriptor): field is GroupDescriptor => "fields" in field;
