// Imported before everything else by processes that tests start, as bin/ does it for a server: Node
// looks for none of our own files, which name each other exactly.
import { registerHooks } from 'node:module'
import { resolveOwnImports } from '../../bin/own-imports.mjs'

const sources = new URL('../../src/', import.meta.url).href
const tests = new URL('../', import.meta.url).href

resolveOwnImports(sources)
registerHooks({
  resolve(specifier, context, next) {
    const isOwn = specifier.endsWith('.ts') && context.parentURL?.startsWith(tests)
    if (!isOwn || specifier.startsWith('#console/')) return next(specifier, context)
    const url = specifier.startsWith('#')
      ? sources + specifier.slice(1)
      : new URL(specifier, context.parentURL).href
    return { url, format: 'module-typescript', shortCircuit: true }
  },
})
