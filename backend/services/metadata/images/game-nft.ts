/** The picture of a game's token: the game's scene inside a frame that grows richer with the tier. */
import type { GameNftFacts } from "../../../../domain/metadata.ts";
import type { NftArt } from "../../../../games/game.ts";
import {
  circle,
  createSvg,
  hsl,
  linearGradient,
  path,
  rect,
  roundToTenth,
  SIZE,
  text,
  withMirror,
} from "../../../../games/svg.ts";
import { createRng } from "./rng.ts";

/** Frame colors by tier: bronze, silver, gold, and one for all later tiers. */
const METAL_COLORS = [
  ["#f0b48a", "#b96f3d", "#5f2f14"],
  ["#f7fbff", "#a9b7c8", "#52606f"],
  ["#fff2b8", "#e7b02c", "#7d5106"],
  ["#c8fff4", "#8f7bff", "#ff6fb5"],
] as const;

const pickMetal = (tier: number) => METAL_COLORS[Math.min(Math.max(tier, 1), METAL_COLORS.length) - 1]!;

/** The picture of a game without art: its initial in front of rays of light. */
function createInitialScene(title: string): NftArt {
  return ({ rng }) => {
    const hue = rng.nextBetween(0, 359);
    const rays = Array.from({ length: 18 }, (_, index) => {
      const toPoint = (turn: number): string => {
        const angle = ((index + turn) / 18) * Math.PI * 2;
        return `${roundToTenth(300 + Math.cos(angle) * 480)} ${roundToTenth(260 + Math.sin(angle) * 480)}`;
      };
      return path(`M300 260 L${toPoint(-0.22)} L${toPoint(0.22)} Z`, hsl(hue + 30, 80, 70, 0.18));
    });
    return {
      defs: linearGradient("scene", [
        [0, hsl(hue, 70, 42)],
        [1, hsl(hue + 50, 70, 14)],
      ]),
      parts: [
        rect(0, 0, SIZE, SIZE, 0, "url(#scene)"),
        ...rays,
        circle(300, 260, 130, hsl(hue + 40, 70, 16, 0.6)),
        text(300, 320, [...title][0] ?? "?", { size: 170, weight: 800 }),
      ].join(""),
    };
  };
}

function drawFrame(tier: number, dark: string): string {
  const corner = path(
    "M22 96 L22 46 Q22 22 46 22 L96 22",
    "none",
    'stroke="url(#metal)" stroke-width="10" stroke-linecap="round"',
  );
  const topCorners = withMirror(corner);
  const jewel = (x: number, y: number): string =>
    path(
      `M${x} ${y - 15} L${x + 15} ${y} L${x} ${y + 15} L${x - 15} ${y} Z`,
      "url(#metal)",
      `stroke="${dark}" stroke-width="2"`,
    );
  return [
    rect(11, 11, 578, 578, 30, "none", 'stroke="url(#metal)" stroke-width="5"'),
    tier > 1 ? rect(19, 19, 562, 562, 24, "none", 'stroke="url(#metal)" stroke-width="1.5" opacity=".8"') : "",
    tier > 2 ? `${topCorners}<g transform="translate(0 ${SIZE}) scale(1 -1)">${topCorners}</g>` : "",
    tier > 3 ? [jewel(300, 12), jewel(12, 300), jewel(588, 300), jewel(300, 588)].join("") : "",
  ].join("");
}

const drawStars = (tier: number, count: number, y: number): string =>
  Array.from({ length: count }, (_, index) => {
    const x = 300 + (index - (count - 1) / 2) * 34;
    const points = Array.from({ length: 10 }, (_, corner) => {
      const radius = corner % 2 === 0 ? 13 : 5.6;
      const angle = (corner / 10) * Math.PI * 2 - Math.PI / 2;
      return `${roundToTenth(x + Math.cos(angle) * radius)},${roundToTenth(y + Math.sin(angle) * radius)}`;
    }).join(" ");
    return index < tier
      ? `<polygon points="${points}" fill="url(#metal)"/>`
      : `<polygon points="${points}" fill="none" stroke="#fff" stroke-width="1.5" opacity=".45"/>`;
  }).join("");

/** Separates thousands by thin spaces, which every language reads. */
const formatThousands = (score: number): string => String(score).replace(/\B(?=(\d{3})+$)/g, "\u2009");

/** Draws the SVG of a game NFT: the scene of the game in a frame that grows richer with the tier. */
export function drawGameNft(facts: GameNftFacts, nftArt?: NftArt): string {
  const { slug, title, tokenId, tier, tierName, tierCount, score, agentName } = facts;
  const [bright, middle, dark] = pickMetal(tier);
  const draw = nftArt ?? createInitialScene(title);
  const { defs, parts } = draw({ tier, rng: createRng(`${slug}/${tokenId}`) });
  return createSvg(`${title} ${tierName} #${tokenId}, score ${score}`, [
    "<defs>",
    defs,
    linearGradient(
      "metal",
      [
        [0, bright],
        [0.5, middle],
        [0.75, bright],
        [1, dark],
      ],
      "slant",
    ),
    linearGradient("foot", [
      [0, "rgb(6 10 28 / 0)"],
      [0.35, "rgb(6 10 28 / 0.72)"],
      [1, "rgb(6 10 28 / 0.94)"],
    ]),
    linearGradient("top", [
      [0, "rgb(6 10 28 / 0.6)"],
      [1, "rgb(6 10 28 / 0)"],
    ]),
    '<clipPath id="card"><rect x="11" y="11" width="578" height="578" rx="30"/></clipPath>',
    "</defs>",
    rect(0, 0, SIZE, SIZE, 0, "#0a0f22"),
    `<g clip-path="url(#card)">`,
    parts,
    rect(0, 0, SIZE, 110, 0, "url(#top)"),
    rect(0, 370, SIZE, 230, 0, "url(#foot)"),
    "</g>",
    drawFrame(tier, dark),
    text(48, 66, title.toUpperCase(), { size: 20, weight: 800, anchor: "start", spacing: 4, maxWidth: 360 }),
    text(552, 66, `#${tokenId}`, { size: 24, weight: 800, anchor: "end", maxWidth: 150 }),
    text(300, 478, tierName, { size: 58, weight: 800, maxWidth: 500, fill: "url(#metal)" }),
    drawStars(tier, tierCount, 508),
    text(48, 556, agentName ?? `Agent #${tokenId}`, {
      size: 22,
      weight: 600,
      anchor: "start",
      opacity: 0.85,
      maxWidth: 250,
    }),
    text(552, 560, formatThousands(score), { size: 40, weight: 800, anchor: "end", maxWidth: 240 }),
  ]);
}
