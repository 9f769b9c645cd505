// The entry point. The cache saves stripping types and compiling on every start but the first, and
// with that 6 MB. `atelier start` has it already; here it must precede the import of everything else.
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'node'))
await import('#app/run-server.ts')
