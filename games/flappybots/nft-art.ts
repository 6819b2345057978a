/** Flappybots: a winged robot over a city, from dawn in the first tier into the night of the last. */
import type { NftArt } from "../game.ts";
import { circle, hsl, linearGradient, path, radialGradient, rect, roundToTenth, SIZE, withMirror } from "../svg.ts";

const SKY_COLORS = [
  ["#7cc4ee", "#ffe0a8", "#ffb48a"],
  ["#2f80d8", "#8fd0f2", "#d8f2ff"],
  ["#53307f", "#e0607f", "#ffbe76"],
  ["#070b2c", "#1f2468", "#5b3f9a"],
] as const;
const BODY_COLORS = [
  ["#ffe08a", "#f2a93b", "#9a5a10"],
  ["#e9f4ff", "#8fb2d9", "#3c5879"],
  ["#ffd9a0", "#ff7d5c", "#9c2c3f"],
  ["#d4fff6", "#6be0d0", "#3455b8"],
] as const;

const pickByTier = <T>(list: readonly T[], tier: number): T => list[Math.min(Math.max(tier, 1), list.length) - 1]!;

function drawPipe(x: number, gapTop: number, gapHeight: number): string {
  const part = (y: number, height: number, lipY: number): string =>
    rect(x, y, 84, height, 6, "url(#pipe)") +
    rect(x - 9, lipY, 102, 34, 8, "url(#pipe)", 'stroke="rgb(8 20 30 / .45)" stroke-width="3"') +
    rect(x + 12, y, 9, height, 4, "#fff", 'opacity=".25"');
  return part(-10, gapTop, gapTop - 34) + part(gapTop + gapHeight, 500, gapTop + gapHeight);
}

function drawBot(dark: string): string {
  const wing =
    path(
      "M206 262 C150 190 92 184 62 212 C86 222 88 232 84 242 C104 240 112 250 110 262 C132 258 140 270 138 282 C164 292 190 292 212 284 Z",
      "url(#body)",
      `stroke="${dark}" stroke-width="5" stroke-linejoin="round"`,
    ) +
    path(
      "M188 262 C156 226 124 212 96 212",
      "none",
      'stroke="#fff" stroke-width="6" stroke-linecap="round" opacity=".5"',
    );
  return [
    path("M270 364 L258 420 L300 396 L342 420 L330 364 Z", "#ffce5a", 'opacity=".9"'),
    path("M284 364 L280 398 L300 384 L320 398 L316 364 Z", "#fff", 'opacity=".9"'),
    withMirror(wing),
    rect(294, 128, 12, 46, 6, dark),
    circle(300, 124, 24, "#ff5d73", 'opacity=".35"'),
    circle(300, 124, 14, "#ff5d73"),
    rect(198, 164, 204, 206, 82, "url(#body)", `stroke="${dark}" stroke-width="5"`),
    path(
      "M222 212 C236 186 266 178 300 178",
      "none",
      'stroke="#fff" stroke-width="10" stroke-linecap="round" opacity=".6"',
    ),
    rect(222, 218, 156, 84, 42, "#10162e"),
    withMirror(
      circle(264, 260, 25, "#5ff5e0", 'opacity=".25"') + circle(264, 260, 18, "#5ff5e0") + circle(258, 253, 6, "#fff"),
    ),
    path("M278 328 Q300 344 322 328", "none", `stroke="${dark}" stroke-width="7" stroke-linecap="round"`),
    withMirror(circle(226, 330, 6, dark, 'opacity=".5"')),
  ].join("");
}

export const nftArt: NftArt = ({ tier, rng }) => {
  const [high, middle, low] = pickByTier(SKY_COLORS, tier);
  const [bright, full, dark] = pickByTier(BODY_COLORS, tier);
  const isNight = tier > 3;
  const stars = Array.from({ length: isNight ? 60 : tier > 2 ? 18 : 0 }, () =>
    circle(
      rng.nextBetween(16, 584),
      rng.nextBetween(20, 330),
      rng.nextBetween(0.6, 2.4),
      "#fff",
      `opacity="${roundToTenth(rng.nextBetween(0.3, 1))}"`,
    ),
  );
  const cloud = (x: number, y: number, scale: number): string =>
    `<g transform="translate(${roundToTenth(x)} ${roundToTenth(y)}) scale(${scale})" fill="#fff" opacity="${isNight ? 0.14 : 0.6}"><circle r="26"/><circle cx="30" cy="-12" r="32"/><circle cx="66" r="26"/><rect x="-8" y="-4" width="86" height="30" rx="15"/></g>`;
  const towers = Array.from({ length: 13 }, (_, index) => {
    const x = index * 50 - 20;
    const top = 360 - rng.nextBetween(0, 110);
    const windows = [0, 1, 2, 3].map((row) =>
      rng.nextInt(3) > 0
        ? rect(x + 9 + rng.nextInt(2) * 16, top + 12 + row * 20, 8, 9, 1, hsl(46, 95, 72, isNight ? 0.95 : 0.5))
        : "",
    );
    return rect(x, top, 44, 300, 3, hsl(232, 45, isNight ? 12 : 28, 0.8)) + windows.join("");
  });
  return {
    defs: [
      linearGradient("sky", [
        [0, high],
        [0.65, middle],
        [1, low],
      ]),
      linearGradient("body", [
        [0, bright],
        [0.55, full],
        [1, dark],
      ]),
      linearGradient(
        "pipe",
        [
          [0, "#2f7d55"],
          [0.35, "#7be0a0"],
          [1, "#1d4f3c"],
        ],
        "across",
      ),
      radialGradient("orb", [
        [0, isNight ? "#f4f0ff" : "#fff7d6"],
        [0.3, isNight ? "rgb(214 208 255 / .7)" : "rgb(255 240 190 / .8)"],
        [1, "rgb(255 255 255 / 0)"],
      ]),
    ].join(""),
    parts: [
      rect(0, 0, SIZE, SIZE, 0, "url(#sky)"),
      ...stars,
      circle(rng.nextBetween(380, 470), 150, 150, "url(#orb)"),
      cloud(rng.nextBetween(60, 150), rng.nextBetween(110, 160), 0.9),
      cloud(rng.nextBetween(380, 470), rng.nextBetween(220, 270), 0.7),
      ...towers,
      drawPipe(-18, rng.nextBetween(120, 190), 190),
      drawPipe(534, rng.nextBetween(110, 180), 200),
      tier > 2
        ? circle(
            300,
            268,
            190,
            "none",
            `stroke="${bright}" stroke-width="5" stroke-dasharray="3 22" stroke-linecap="round" opacity=".8"`,
          )
        : "",
      drawBot(dark),
    ].join(""),
  };
};
