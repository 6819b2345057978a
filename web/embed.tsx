/** The entry point of the page that other sites show in a frame. It has no wallet, no sign-in and no other pages. */
import { hydrate } from "preact";
import { findEmbed } from "../domain/site.ts";
import { giveFirstValues } from "./components/loaded-values.ts";
import { followMotionPreference } from "./components/motion.ts";
import { repeatEarlyClick } from "./early-input.ts";
import { EmbedPage } from "./pages/embed.tsx";
import { followTranslatedTexts } from "./translated-texts.ts";

const values = document.getElementById("page-values")?.textContent ?? "{}";
giveFirstValues(JSON.parse(values) as { readonly [key: string]: unknown });
const root = document.getElementById("app")!;
hydrate(<EmbedPage id={findEmbed(new URL(location.href)) ?? ""} />, root);
repeatEarlyClick();
followTranslatedTexts(root);
followMotionPreference();
