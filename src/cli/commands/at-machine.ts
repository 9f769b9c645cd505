import { readConfig } from '#config'
import type { Cli } from '../command.ts'

/** What a server started from this shell would use. */
export function asked({ settings, env, clock, signal }: Cli) {
  const config = readConfig({ ...env, DATA_DIR: settings.dataDir })
  return { config, clock, signal, baseUrl: config.BASE_URL || settings.url }
}

export const waiting = 'No server has taken this over yet. It does so as soon as it runs:'
