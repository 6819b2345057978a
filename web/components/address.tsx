/** A link to the page of an address or a transaction: shortened or by name, with the full value as its title. */
import { toSitePath } from "../../domain/site.ts";
import { SHARED_LABELS, shortenHex } from "../labels/shared.ts";
import { siteConfig } from "../site-config.ts";

type Kind = "address" | "tx";

interface AddressProps {
  readonly hex: string;
  readonly kind?: Kind;
  /** Shown in place of the short form. */
  readonly name?: string | null;
}

const toExplorerUrl = (kind: Kind, hex: string): string | null =>
  siteConfig.explorerUrl && `${siteConfig.explorerUrl}/${kind}/${hex}`;

export function Address({ hex, kind = "address", name = null }: AddressProps) {
  // Without a node for browsers, link to the chain's explorer, which shows more.
  const elsewhere = siteConfig.rpcUrl === null ? toExplorerUrl(kind, hex) : null;
  const href = elsewhere ?? (kind === "tx" ? toSitePath("tx", { hash: hex }) : toSitePath("address", { address: hex }));
  return (
    <a href={href} {...(elsewhere === null ? {} : { target: "_blank", rel: "noreferrer" })}>
      <code title={hex}>{name ?? shortenHex(hex)}</code>
    </a>
  );
}

/** A link to the chain's explorer, if the chain has one. */
export function ExplorerLink({ hex, kind }: { readonly hex: string; readonly kind: Kind }) {
  const url = toExplorerUrl(kind, hex);
  if (url === null) return null;
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {SHARED_LABELS.inExplorer}
    </a>
  );
}
