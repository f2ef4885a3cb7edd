/** esbuild gives the text of a style sheet that is imported (`viz/html/bundle.mjs`). */
declare module "*.css" {
  const text: string;
  export default text;
}
