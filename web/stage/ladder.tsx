/** The game's NFT tiers as a ladder, and how far up it a score has come. */
import type { Game } from "../../backend/games/game.ts";

export function Ladder({ game, score }: { readonly game: Game; readonly score: number }) {
  const { tiers } = game.nft;
  const reached = tiers.findLast((tier) => score >= tier.minScore);
  const next = tiers.find((tier) => score < tier.minScore);
  const from = reached?.minScore ?? 0;
  const share = next === undefined ? 1 : (score - from) / (next.minScore - from);
  return (
    <section class="ladder" aria-label="Tiers">
      <h2>Tiers</h2>
      <ol>
        {tiers.map((tier) => {
          const state = score >= tier.minScore ? "reached" : tier === next ? "next" : "far";
          return (
            <li key={tier.tier} class={`rung rung-${state}`}>
              <span>{tier.name}</span>
              <b>{tier.minScore}</b>
              {state === "next" && (
                <span class="rung-way" aria-hidden="true">
                  <span style={`--share: ${share}`} />
                </span>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
