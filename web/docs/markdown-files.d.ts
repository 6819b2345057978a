/** Guides are bundled as text (`web/bundle.ts`). */
declare module "*.md" {
  const text: string;
  export default text;
}
