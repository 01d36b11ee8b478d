import { defineConfig } from "vite";

// The page is embedded in the program: relative addresses, so that it can be mounted
// under any path, and no inlined files, which its Content-Security-Policy refuses.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
  },
});
