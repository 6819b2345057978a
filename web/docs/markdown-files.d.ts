/** Guides are bundled as HTML (`render-guide.ts`). */
declare module "*.md" {
  const html: string;
  export default html;
}
