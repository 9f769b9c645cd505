import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

/**
 * The environment of a thread that needs none of the server's secrets: only where Node keeps what
 * it has compiled, without which the thread would compile its modules again at each start.
 */
export function threadEnv(): Record<string, string> {
  // Node appends its version to the folder that it is given.
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}
