/** The NFT of a game's tier, as the first agent to reach it would get it. */
interface TierPictureProps {
  readonly slug: string;
  readonly tier: { readonly tier: number; readonly name: string };
}

export const TierPicture = ({ slug, tier }: TierPictureProps) => (
  <img
    class="tier-picture"
    src={`/api/metadata/${slug}/tiers/${tier.tier}.svg`}
    alt={tier.name}
    width={120}
    height={120}
    loading="lazy"
    decoding="async"
  />
);
