/** Shellrunners: a crab before the tide; the shell takes the tier's colors. */
import type { NftArt } from "../game.ts";
import { circle, hsl, linearGradient, path, radialGradient, rect, roundToTenth, SIZE, withMirror } from "../svg.ts";

/** Water from a shallow morning to the deep, by tier. */
const WATER_COLORS = [
  ["#8fe3df", "#2f9fb5", "#0e5a78"],
  ["#7fd0f5", "#2b77c9", "#123a7c"],
  ["#ffc27a", "#e0607f", "#5b2376"],
  ["#4a5bd0", "#23236e", "#080a2a"],
] as const;
const SHELL_COLORS = [
  ["#ff9d73", "#e2553d", "#8f2626"],
  ["#ffb35e", "#ef7b2d", "#97400d"],
  ["#ff86a3", "#d6336c", "#77103c"],
  ["#b6fff0", "#8d6bff", "#3b1a8f"],
] as const;

const pickByTier = <T>(list: readonly T[], tier: number): T => list[Math.min(Math.max(tier, 1), list.length) - 1]!;

function toWavePath(y: number, height: number, length: number, shift: number): string {
  let d = `M${-length + shift} ${y}`;
  for (let x = -length + shift; x < SIZE + length; x += length)
    d += ` q${length / 4} ${-height} ${length / 2} 0 t${length / 2} 0`;
  return `${d} V${SIZE} H${-length} Z`;
}

function drawCrab(dark: string): string {
  const leg = (y: number, reach: number, drop: number): string =>
    path(
      `M222 ${y} Q${222 - reach * 0.6} ${y - 16} ${222 - reach} ${y + drop}`,
      "none",
      `stroke="url(#shell)" stroke-width="15" stroke-linecap="round"`,
    );
  const claw =
    path("M214 292 Q150 282 140 224", "none", 'stroke="url(#shell)" stroke-width="22" stroke-linecap="round"') +
    path(
      "M140 232 C92 222 82 160 120 130 C122 152 132 166 146 172 C148 152 162 136 184 134 C206 176 186 226 140 232 Z",
      "url(#shell)",
      `stroke="${dark}" stroke-width="4" stroke-linejoin="round"`,
    ) +
    path(
      "M108 170 C106 158 110 148 116 142",
      "none",
      'stroke="#fff" stroke-width="6" stroke-linecap="round" opacity=".5"',
    );
  const eye =
    path("M262 236 L254 186", "none", 'stroke="url(#shell)" stroke-width="13" stroke-linecap="round"') +
    circle(252, 176, 24, "#fff", `stroke="${dark}" stroke-width="4"`) +
    circle(257, 178, 12, "#15182b") +
    circle(261, 173, 4.5, "#fff");
  return [
    withMirror(leg(330, 92, 40) + leg(348, 82, 62) + leg(362, 62, 76)),
    withMirror(claw),
    withMirror(eye),
    path(
      "M174 322 C174 250 236 222 300 222 C364 222 426 250 426 322 C426 374 372 398 300 398 C228 398 174 374 174 322 Z",
      "url(#shell)",
      `stroke="${dark}" stroke-width="5"`,
    ),
    path(
      "M204 290 C222 256 262 242 300 242",
      "none",
      'stroke="#fff" stroke-width="10" stroke-linecap="round" opacity=".45"',
    ),
    withMirror(
      circle(238, 318, 9, dark, 'opacity=".35"') +
        circle(218, 340, 6, dark, 'opacity=".3"') +
        circle(262, 296, 6, dark, 'opacity=".3"'),
    ),
    path("M264 344 Q300 374 336 344", "none", `stroke="${dark}" stroke-width="8" stroke-linecap="round"`),
    withMirror(circle(238, 346, 13, "#fff", 'opacity=".18"')),
  ].join("");
}

export const nftArt: NftArt = ({ tier, rng }) => {
  const [high, middle, low] = pickByTier(WATER_COLORS, tier);
  const [bright, full, dark] = pickByTier(SHELL_COLORS, tier);
  const shift = rng.nextBetween(0, 120);
  const bubbles = Array.from({ length: 10 + tier * 5 }, () => {
    const x = rng.nextBetween(30, 570);
    const y = rng.nextBetween(70, 400);
    const r = rng.nextBetween(2, 9);
    return circle(x, y, r, "rgb(255 255 255 / .14)", 'stroke="#fff" stroke-width="1.5" stroke-opacity=".5"');
  });
  const lights = Array.from({ length: 7 }, (_, index) => {
    const x = roundToTenth(index * 96 - 40 + rng.nextBetween(-20, 20));
    return path(`M${x} 0 L${x + 46} 0 L${x - 60} 460 L${x - 150} 460 Z`, "#fff", 'opacity=".06"');
  });
  return {
    defs: [
      linearGradient("water", [
        [0, high],
        [0.5, middle],
        [1, low],
      ]),
      linearGradient("shell", [
        [0, bright],
        [0.55, full],
        [1, dark],
      ]),
      radialGradient("sun", [
        [0, "rgb(255 255 255 / .8)"],
        [1, "rgb(255 255 255 / 0)"],
      ]),
    ].join(""),
    parts: [
      rect(0, 0, SIZE, SIZE, 0, "url(#water)"),
      circle(300, 250, 270, "url(#sun)", 'opacity=".55"'),
      ...lights,
      ...bubbles,
      tier > 2
        ? circle(
            300,
            290,
            214,
            "none",
            `stroke="${bright}" stroke-width="5" stroke-dasharray="3 22" stroke-linecap="round" opacity=".9"`,
          )
        : "",
      path(toWavePath(392, 26, 180, -shift), hsl(200, 80, 85, 0.18)),
      tier > 3
        ? path(
            "M232 250 L206 132 L262 178 L300 104 L338 178 L394 132 L368 250 Z",
            "url(#metal)",
            'stroke="#3b1a8f" stroke-width="4" stroke-linejoin="round"',
          )
        : "",
      drawCrab(dark),
      path(toWavePath(408, 18, 140, shift - 140), hsl(205, 80, 70, 0.35)),
    ].join(""),
  };
};
