// Builds three files with fixed names, which the program embeds: index.html, app.js and app.css.
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    chunkSizeWarningLimit: 800, // three.js is most of it
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    rollupOptions: {
      output: {
        entryFileNames: "app.js",
        assetFileNames: (asset) => (asset.name?.endsWith(".css") ? "app.css" : "[name][extname]"),
        inlineDynamicImports: true,
        banner: "/*! with uPlot (c) Leon Sorokin and three.js (c) three.js authors, both under the MIT licence */",
      },
    },
  },
});
