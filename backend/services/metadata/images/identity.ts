/** The picture of an agent: a robot whose shape and colors follow from its wallet. */
import type { Address } from "viem";
import type { ArtRng } from "../../../../games/game.ts";
import {
  circle,
  createSvg,
  hsl,
  linearGradient,
  path,
  radialGradient,
  rect,
  roundToTenth,
  SIZE,
  text,
} from "../../../../games/svg.ts";
import { createRng } from "./rng.ts";
import { ANTENNA_VARIANTS, EAR_VARIANTS, EYE_VARIANTS, HEAD_VARIANTS, MOUTH_VARIANTS } from "./robot-parts.ts";

export interface AgentImage {
  readonly wallet: Address;
  readonly agentId: string | null;
  readonly name: string | null;
}

const shortenAddress = (wallet: string): string => `${wallet.slice(0, 6)}…${wallet.slice(-4)}`;

/** Light from behind the head, and dust in it. */
function drawBackground(rng: ArtRng, hue: number): string {
  const rays = Array.from({ length: 12 }, (_, index) => {
    const angle = (index / 12) * Math.PI * 2 + rng.nextBetween(0, 0.1);
    const toPoint = (turn: number): string =>
      `${roundToTenth(300 + Math.cos(angle + turn) * 520)} ${roundToTenth(262 + Math.sin(angle + turn) * 520)}`;
    return path(`M300 262 L${toPoint(-0.11)} L${toPoint(0.11)} Z`, hsl(hue + 20, 80, 75, 0.07));
  });
  const dust = Array.from({ length: 26 }, () =>
    circle(
      rng.nextBetween(20, 580),
      rng.nextBetween(60, 440),
      rng.nextBetween(0.8, 3),
      hsl(hue + 40, 90, 88, roundToTenth(rng.nextBetween(0.2, 0.7))),
    ),
  );
  return [
    rect(0, 0, SIZE, SIZE, 0, "url(#back)"),
    ...rays,
    circle(300, 262, 250, "url(#glow)"),
    ...dust,
    circle(300, 262, 218, "none", `stroke="${hsl(hue + 30, 70, 80, 0.25)}" stroke-width="1.5"`),
    circle(
      300,
      262,
      232,
      "none",
      `stroke="${hsl(hue + 30, 70, 80, 0.35)}" stroke-width="4" stroke-dasharray="2 ${10 + rng.nextInt(14)}" stroke-linecap="round"`,
    ),
  ].join("");
}

export function drawIdentity({ wallet, agentId, name }: AgentImage): string {
  const rng = createRng(wallet.toLowerCase());
  const hue = rng.nextBetween(0, 359);
  const body = hue + 140 + rng.nextBetween(0, 80);
  const light = body + 150;
  const colors = {
    light: hsl(light, 95, 66),
    dark: hsl(body, 45, 16),
    trim: hsl(body + 24, 70, 44),
    shine: hsl(body, 90, 90, 0.55),
  };
  const title = name ?? shortenAddress(wallet);
  return createSvg(title, [
    "<defs>",
    linearGradient(
      "back",
      [
        [0, hsl(hue, 62, 32)],
        [0.6, hsl(hue + 28, 68, 18)],
        [1, hsl(hue + 48, 72, 9)],
      ],
      "slant",
    ),
    radialGradient("glow", [
      [0, hsl(hue + 20, 90, 72, 0.55)],
      [1, hsl(hue + 20, 90, 60, 0)],
    ]),
    linearGradient("metal", [
      [0, hsl(body, 78, 78)],
      [0.5, hsl(body, 70, 58)],
      [1, hsl(body + 14, 66, 40)],
    ]),
    linearGradient("glass", [
      [0, hsl(body, 50, 10)],
      [1, hsl(body + 30, 55, 22)],
    ]),
    "</defs>",
    drawBackground(rng, hue),
    // Neck and shoulders, then the head from back to front.
    path("M140 480 C150 400 215 372 300 372 C385 372 450 400 460 480 Z", "url(#metal)"),
    path("M196 480 C204 430 250 410 300 410 C350 410 396 430 404 480 Z", colors.trim, 'opacity=".7"'),
    circle(300, 446, 15, colors.light),
    circle(300, 446, 24, "none", `stroke="${colors.light}" stroke-width="3" opacity=".6"`),
    rect(264, 346, 72, 44, 10, colors.dark),
    EAR_VARIANTS[rng.nextInt(EAR_VARIANTS.length)]!(colors),
    ANTENNA_VARIANTS[rng.nextInt(ANTENNA_VARIANTS.length)]!(colors),
    HEAD_VARIANTS[rng.nextInt(HEAD_VARIANTS.length)]!(colors),
    EYE_VARIANTS[rng.nextInt(EYE_VARIANTS.length)]!(colors),
    MOUTH_VARIANTS[rng.nextInt(MOUTH_VARIANTS.length)]!(colors),
    // The plate with the name.
    rect(0, 452, SIZE, 148, 0, hsl(hue + 40, 60, 6, 0.86)),
    rect(0, 452, SIZE, 3, 0, colors.light),
    text(300, 524, title, { size: 50, weight: 800, maxWidth: 520 }),
    text(300, 568, name === null ? "unnamed agent" : shortenAddress(wallet), {
      size: 20,
      weight: 500,
      opacity: 0.72,
      mono: name !== null,
      spacing: 1,
    }),
    text(32, 46, "AGENT ARCADE", { size: 17, weight: 700, anchor: "start", spacing: 4, opacity: 0.85 }),
    agentId === null
      ? ""
      : text(568, 46, `#${agentId}`, { size: 26, weight: 800, anchor: "end", fill: colors.light, maxWidth: 220 }),
  ]);
}
