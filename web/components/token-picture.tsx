/** The picture of an identity or of a game NFT, as the service draws it. */
interface TokenPictureProps {
  /** `identity` or a game's slug. */
  readonly collection: string;
  readonly tokenId: string;
  readonly name: string;
}

export const TokenPicture = ({ collection, tokenId, name }: TokenPictureProps) => (
  <img
    class="token-picture"
    src={`/api/metadata/${collection}/${tokenId}.svg`}
    alt={name}
    width={240}
    height={240}
    loading="lazy"
    decoding="async"
  />
);
