/** The picture of an agent, which the service draws from its wallet. Bots without a wallet get the site's logo. */
interface PortraitProps {
  /** The wallet's address, or the identity's id; null if neither is known. */
  readonly holder: string | null;
  /** Empty if the name is next to it. */
  readonly name?: string;
  readonly class?: string;
}

export function Portrait({ holder, name = "", class: className = "" }: PortraitProps) {
  return (
    <img
      class={`portrait ${className}`}
      src={holder === null ? "/favicon.svg" : `/api/metadata/identity/${holder}.svg`}
      alt={name}
      width={48}
      height={48}
      loading="lazy"
      decoding="async"
    />
  );
}
