import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** For the processes that a test starts: what another has compiled takes them half of a start. */
export const compileCache = {
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(tmpdir(), 'atelier-compile-cache'),
}
