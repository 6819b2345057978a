/**
 * Keeps translated pages current. Browsers' translators replace each text by a `<font>` element, and the page then
 * changes a text that is not shown any more.
 */
const isFont = (node: Node | null): node is Element => node?.nodeName === "FONT";

/** Shows a replaced text again as soon as it changes. The translator then translates the new one. */
export function followTranslatedTexts(root: Node): void {
  const translations = new WeakMap<Node, Element>();
  const observer = new MutationObserver((records) => {
    for (const { type, target, removedNodes, addedNodes, previousSibling, nextSibling } of records) {
      if (type === "characterData") translations.get(target)?.replaceWith(target);
      for (const text of removedNodes) {
        const font = [...addedNodes, previousSibling, nextSibling].find(isFont);
        if (font === undefined || text.nodeType !== Node.TEXT_NODE) continue;
        translations.set(text, font);
        observer.observe(text, { characterData: true });
      }
    }
  });
  observer.observe(root, { childList: true, subtree: true });
}
