/** esbuild copies the file beside the script and gives its address. */
declare module "@jitl/quickjs-wasmfile-release-sync/wasm" {
  const url: string;
  export default url;
}
