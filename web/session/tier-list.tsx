/** The game's NFT tiers, and the progress of a score through them. */
import type { Game } from "../../games/game.ts";
import { TierPicture } from "../components/tier-picture.tsx";
import { HUD_LABELS } from "../labels/session.ts";
import { formatNumber } from "../labels/shared.ts";

export function TierList({ game, score }: { readonly game: Game; readonly score: number }) {
  const { tiers } = game.nft;
  const reached = tiers.findLast((tier) => score >= tier.minScore);
  const next = tiers.find((tier) => score < tier.minScore);
  const fromScore = reached?.minScore ?? 0;
  const fraction = next === undefined ? 1 : (score - fromScore) / (next.minScore - fromScore);
  return (
    <section class="tier-list" aria-label={HUD_LABELS.tiers}>
      <h2>{HUD_LABELS.tiers}</h2>
      <ol>
        {tiers.map((tier) => {
          const state = score >= tier.minScore ? "reached" : tier === next ? "next" : "far";
          return (
            <li key={tier.tier} class={`tier tier-${state}`}>
              <span class="tier-name">
                <TierPicture slug={game.slug} tier={tier} />
                {tier.name}
              </span>
              <b>{formatNumber(tier.minScore)}</b>
              {state === "next" && (
                <span class="tier-progress" aria-hidden="true">
                  <span style={`--share: ${fraction}`} />
                </span>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
