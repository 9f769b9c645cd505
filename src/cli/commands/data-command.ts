import { type Config, ConfigError, readConfig } from '#config'
import type { Cli } from '../command.ts'
import { CliFailure, exits, usageFailure } from '../terminal/failure.ts'
import { fit, openLiveArea } from '../terminal/live.ts'
import { word } from '../terminal/printer.ts'

/** Reads the configuration as a server started from this shell would. */
export function configOf({ env, settings }: Cli): Config {
  try {
    return readConfig({ ...env, DATA_DIR: settings.dataDir })
  } catch (error) {
    throw error instanceof ConfigError ? usageFailure(error.message) : error
  }
}

/** Shows progress on one line of a terminal, and nothing elsewhere. */
export async function withProgress<Result>(
  { err, clock }: Cli,
  work: (deps: { clock: Cli['clock']; onProgress(done: string): void }) => Promise<Result>,
): Promise<Result> {
  const area = err.isStyled ? openLiveArea(err) : null
  try {
    return await work({ clock, onProgress: (done) => area?.draw([fit(done, err)]) })
  } catch (error) {
    // Checked by name, so that this file need not load the backup code.
    if (!(error instanceof Error) || error.name !== 'BackupRefused') throw error
    const { message } = error
    throw new CliFailure(message, { exitCode: exits.failed, code: 'BACKUP_REFUSED', cause: error })
  } finally {
    area?.clear()
  }
}

export function warnOfLost({ err }: Cli, lost: readonly string[]) {
  for (const one of lost.slice(0, 20)) err.line(`${err.paint('yellow', 'lost:')} ${word(one)}`)
  if (lost.length > 0)
    err.line(`${lost.length} media files are gone or damaged; their records are left out.`)
}

/** Decimal units, as disks are sold. */
export const showBytes = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
