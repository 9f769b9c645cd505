import { readConfig } from '#config'
import type { Cli } from '../command.ts'

/** What a server started from this shell would use. */
export function localServerDeps({ settings, env, clock, signal }: Cli) {
  const config = readConfig({ ...env, DATA_DIR: settings.dataDir })
  return { config, clock, signal, baseUrl: config.BASE_URL || settings.url }
}

export const waiting =
  'No running server has applied this yet. It takes effect when the server starts:'
