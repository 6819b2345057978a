import { circle, createSvg, linearGradient, path, radialGradient, rect, SIZE } from "../../../../games/svg.ts";

/** The service's logo: a joystick whose ball is a pearl. */
export const drawLogo = (): string =>
  createSvg("Agent Arcade", [
    "<defs>",
    linearGradient("sky", [
      [0, "#1b2a5c"],
      [1, "#0c1024"],
    ]),
    radialGradient("pearl", [
      [0, "#fff"],
      [0.45, "#ffd9c7"],
      [1, "#ff7a59"],
    ]),
    "</defs>",
    rect(0, 0, SIZE, SIZE, 120, "url(#sky)"),
    circle(300, 300, 210, "none", 'stroke="#4fd8c8" stroke-width="10" stroke-dasharray="4 26" stroke-linecap="round"'),
    path("M286 290 L314 290 L322 420 L278 420 Z", "#4fd8c8"),
    rect(170, 405, 260, 70, 35, "#2b3f86"),
    rect(170, 405, 260, 26, 13, "#3c55ad"),
    circle(300, 235, 88, "url(#pearl)"),
    circle(270, 205, 20, "#fff", 'opacity=".75"'),
  ]);
