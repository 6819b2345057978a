/** Parts of a robot's face, drawn for a head between x 180 and 420 and y 150 and 360. */
import { circle, path, rect, withMirror } from "../../../../games/svg.ts";

interface PartColors {
  readonly light: string;
  readonly dark: string;
  readonly trim: string;
  readonly shine: string;
}
type PartRenderer = (paint: PartColors) => string;

const METAL = "url(#metal)";
const GLASS = "url(#glass)";

export const HEAD_VARIANTS: readonly PartRenderer[] = [
  ({ shine }) =>
    rect(180, 150, 240, 210, 64, METAL) +
    rect(206, 192, 188, 126, 44, GLASS) +
    path("M214 176 C250 160 330 160 372 172", "none", `stroke="${shine}" stroke-width="8" stroke-linecap="round"`),
  ({ shine }) =>
    path(
      "M180 290 C180 190 230 146 300 146 C370 146 420 190 420 290 L420 320 C420 346 402 362 376 362 L224 362 C198 362 180 346 180 320 Z",
      METAL,
    ) +
    rect(206, 204, 188, 116, 52, GLASS) +
    path("M222 196 C238 172 268 162 300 162", "none", `stroke="${shine}" stroke-width="8" stroke-linecap="round"`),
  ({ shine }) =>
    path(
      "M236 150 L364 150 L424 256 L364 362 L236 362 L176 256 Z",
      METAL,
      `stroke-linejoin="round" stroke="${METAL}" stroke-width="16"`,
    ) +
    rect(208, 196, 184, 120, 30, GLASS) +
    path("M236 164 L330 164", "none", `stroke="${shine}" stroke-width="8" stroke-linecap="round"`),
  ({ shine, trim }) =>
    path(
      "M300 140 C392 140 432 212 424 284 C418 340 378 364 300 364 C222 364 182 340 176 284 C168 212 208 140 300 140 Z",
      METAL,
    ) +
    withMirror(
      path("M196 208 C216 184 240 168 262 160", "none", `stroke="${trim}" stroke-width="6" stroke-linecap="round"`),
    ) +
    rect(210, 200, 180, 118, 56, GLASS) +
    path("M282 154 C300 151 330 153 346 160", "none", `stroke="${shine}" stroke-width="8" stroke-linecap="round"`),
];

export const EYE_VARIANTS: readonly PartRenderer[] = [
  ({ light }) =>
    withMirror(
      circle(256, 246, 27, light, 'opacity=".28"') + circle(256, 246, 19, light) + circle(250, 239, 6, "#fff"),
    ),
  ({ light }) =>
    rect(222, 230, 156, 34, 17, light, 'opacity=".25"') +
    rect(230, 238, 140, 18, 9, light) +
    rect(238, 241, 46, 5, 2.5, "#fff", 'opacity=".8"'),
  ({ light }) =>
    withMirror(
      [0, 1, 2]
        .map((row) =>
          [0, 1, 2]
            .map((column) =>
              row === 1 || column === 1 ? rect(238 + column * 13, 228 + row * 13, 11, 11, 2, light) : "",
            )
            .join(""),
        )
        .join(""),
    ),
  ({ light, dark }) =>
    circle(300, 246, 38, light, 'opacity=".25"') +
    circle(300, 246, 30, light) +
    circle(300, 246, 14, dark) +
    circle(290, 236, 7, "#fff"),
  ({ light }) =>
    withMirror(
      path("M234 256 C240 226 272 226 278 256", "none", `stroke="${light}" stroke-width="11" stroke-linecap="round"`),
    ),
  ({ light }) =>
    withMirror(
      path(
        "M232 232 L276 246 L276 262 L240 258 Z",
        light,
        `stroke="${light}" stroke-width="6" stroke-linejoin="round"`,
      ) + circle(262, 252, 4, "#fff"),
    ),
];

export const MOUTH_VARIANTS: readonly PartRenderer[] = [
  ({ light }) =>
    path("M270 290 C284 306 316 306 330 290", "none", `stroke="${light}" stroke-width="7" stroke-linecap="round"`),
  ({ light }) =>
    [0, 1, 2, 3, 4]
      .map((index) => rect(265 + index * 15, 288 - (index % 2) * 3, 9, 12 + (index % 2) * 6, 4, light, 'opacity=".85"'))
      .join(""),
  ({ light }) => rect(272, 292, 56, 8, 4, light),
  ({ light }) => [0, 1, 2].map((index) => circle(282 + index * 18, 295, 5, light)).join(""),
  ({ light }) =>
    path(
      "M266 294 L280 288 L292 300 L308 288 L320 300 L334 290",
      "none",
      `stroke="${light}" stroke-width="6" stroke-linejoin="round" stroke-linecap="round"`,
    ),
];

export const EAR_VARIANTS: readonly PartRenderer[] = [
  ({ trim, light }) => withMirror(rect(150, 216, 44, 84, 18, trim) + rect(158, 240, 10, 36, 5, light)),
  ({ trim, light }) =>
    withMirror(circle(178, 256, 38, trim) + circle(168, 256, 18, light, 'opacity=".9"') + circle(168, 256, 9, trim)),
  ({ trim }) =>
    withMirror(
      path(
        "M190 220 L128 184 L140 250 L132 306 L190 292 Z",
        trim,
        `stroke="${trim}" stroke-width="10" stroke-linejoin="round"`,
      ),
    ),
  ({ trim, light }) =>
    withMirror(
      path(
        "M186 270 C140 276 118 246 124 206 C130 184 146 180 152 196 C158 182 176 190 172 210 C166 236 176 240 190 240 Z",
        trim,
      ) + circle(142, 216, 5, light),
    ),
];

export const ANTENNA_VARIANTS: readonly PartRenderer[] = [
  ({ trim, light }) =>
    rect(295, 96, 10, 64, 5, trim) + circle(300, 92, 25, light, 'opacity=".3"') + circle(300, 92, 15, light),
  ({ trim, light }) =>
    withMirror(
      path("M250 166 C240 130 222 112 204 104", "none", `stroke="${trim}" stroke-width="10" stroke-linecap="round"`) +
        circle(202, 102, 13, light),
    ),
  ({ trim, light }) =>
    path(
      "M226 170 L244 108 L276 146 L300 92 L324 146 L356 108 L374 170 Z",
      trim,
      `stroke="${trim}" stroke-width="8" stroke-linejoin="round"`,
    ) + [244, 300, 356].map((x) => circle(x, x === 300 ? 90 : 106, 7, light)).join(""),
  ({ trim, light }) =>
    path("M246 164 C252 92 348 92 354 164 Z", trim) +
    path("M300 108 L300 160", "none", `stroke="${light}" stroke-width="8" stroke-linecap="round"`),
  ({ trim, light }) =>
    path("M286 162 C270 120 300 78 348 82 C330 96 330 130 320 162 Z", trim) +
    path("M302 150 C298 124 310 104 328 94", "none", `stroke="${light}" stroke-width="5" stroke-linecap="round"`),
];
