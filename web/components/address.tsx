/** An address or a transaction: short, whole in its title, with a link if the chain has an explorer. */
import { SHARED_LABELS, shortenHex } from "../labels/shared.ts";
import { siteConfig } from "../site-config.ts";

interface AddressProps {
  readonly hex: string;
  readonly kind?: "address" | "tx";
}

export function Address({ hex, kind = "address" }: AddressProps) {
  const { explorerUrl } = siteConfig;
  const code = <code title={hex}>{shortenHex(hex)}</code>;
  if (explorerUrl === null) return code;
  return (
    <a href={`${explorerUrl}/${kind}/${hex}`} target="_blank" rel="noreferrer" aria-label={SHARED_LABELS.inExplorer}>
      {code}
    </a>
  );
}
