import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** A classic script in the head: it blocks painting, which a module would not. */
function themeBeforePaint(): Plugin {
  const source = readFileSync(here('theme-before-paint.js'), 'utf8')
  const hash = createHash('sha256').update(source).digest('base64url').slice(0, 8)
  const fileName = `assets/theme-${hash}.js`
  return {
    name: 'theme-before-paint',
    apply: 'build',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source })
    },
    transformIndexHtml: () => [
      { tag: 'script', attrs: { src: `/console/${fileName}` }, injectTo: 'head-prepend' },
    ],
  }
}

/**
 * A request takes a browser longer than a few kilobytes: what ten or more parts of the console share
 * is one file instead of a hundred, except what the first screen does not open.
 */
const shared = {
  name: 'shared',
  minShareCount: 10,
  test: /^(?!.*\/(select|dialog|menu|combobox))/,
}

export default defineConfig({
  root: here('.'),
  base: '/console/',
  publicDir: false,
  plugins: [react(), tailwindcss(), themeBeforePaint()],
  build: {
    target: 'baseline-widely-available',
    outDir: here('../dist/console/by-hand'),
    emptyOutDir: true,
    // A data: address in a style would be refused by the policy for fonts, and inlining saves little.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: 'manifest.json',
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups: [shared] } } },
  },
})
