/** Replaces each text of the page like the translators of browsers: by nested `<font>` elements. Runs in the page. */
export function translateTexts(): void {
  const translate = () => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts: Text[] = [];
    while (walker.nextNode() !== null)
      if (walker.currentNode.parentElement?.closest("font, script") === null) texts.push(walker.currentNode as Text);
    for (const text of texts) {
      const [outer, inner] = [document.createElement("font"), document.createElement("font")];
      inner.textContent = `¡${text.data}`;
      outer.append(inner);
      text.replaceWith(outer);
    }
  };
  translate();
  setInterval(translate, 100);
}
