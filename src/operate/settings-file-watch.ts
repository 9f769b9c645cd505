import { readFile, stat } from 'node:fs/promises'
import type { Config } from '#config'
import type { Clock } from '#core/clock.ts'
import { repeat } from '#core/repeat.ts'
import type { ProviderSet } from '#providers/configured/provider-set.ts'
import type { Logger } from './log.ts'

/** Often enough that nobody waits for it, and one look at a file costs next to nothing. */
const lookEveryMs = 1_000

export type SettingsFileState = {
  /** When what is in use was read. */
  readAtMs: number
  /** True while the file holds something newer that could not be used. */
  isRefused: boolean
}

type WatchOptions = {
  /** What the file holds. */
  what: 'models' | 'prices'
  path: string
  /** The content in use. */
  text: string
  take(text: string): Promise<void>
  nowMs(): number
  log: Logger
  everyMs?: number
}

/**
 * Reads MODELS_FILE or PRICES_FILE again once it has changed and then stayed the same for one interval, so that
 * a file that is still being written is left alone. It is polled rather than watched: events are
 * lost on network folders and on the symbolic links through which clusters mount their settings.
 */
export function watchSettingsFile(options: WatchOptions) {
  const { what, path, take, nowMs, log, everyMs = lookEveryMs } = options
  const state: SettingsFileState = { readAtMs: nowMs(), isRefused: false }
  let inUse = options.text
  // Unknown at first: the file may have changed since its text was read.
  let settled = ''
  let lastSeen = ''
  const look = async () => {
    const stamp = await stampOf(path)
    const isStill = stamp === lastSeen
    lastSeen = stamp
    if (stamp === settled || !isStill) return
    settled = stamp
    try {
      const text = await readFile(path, 'utf8')
      if (text !== inUse) {
        await take(text)
        inUse = text
        state.readAtMs = nowMs()
        log.info({ path }, `the ${what} file was read again`)
      }
      state.isRefused = false
    } catch (err) {
      state.isRefused = true
      log.error(
        { err },
        `the ${what} file cannot be read or is not valid; the previous ${what} stay in use`,
      )
    }
  }
  const stop = repeat(everyMs, look, (err) => log.error({ err }, `the ${what} file`))
  return { state: (): Readonly<SettingsFileState> => state, stop }
}

export type WatchedFiles = ReturnType<typeof watchFiles>

/** The operator's files. A file that is not configured is undefined. */
export function watchFiles(
  set: Pick<ProviderSet, 'modelsText' | 'readAgain' | 'pricesText' | 'readPricesAgain'>,
  { config, log, clock }: { config: Config; log: Logger; clock: Clock },
) {
  const watch = (file: Pick<WatchOptions, 'what' | 'path' | 'text' | 'take'>) =>
    file.path === '' ? undefined : watchSettingsFile({ ...file, log, nowMs: clock.nowMs })
  const models = watch({
    ...{ what: 'models', path: config.MODELS_FILE },
    ...{ text: set.modelsText, take: set.readAgain },
  })
  const prices = watch({
    ...{ what: 'prices', path: config.PRICES_FILE },
    ...{ text: set.pricesText, take: set.readPricesAgain },
  })
  const stop = async () => {
    await Promise.all([models?.stop(), prices?.stop()])
  }
  return { models, prices, stop }
}

/** Differs whenever the file does, as far as the file system tells. */
async function stampOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => null)
  return found ? [found.ino, found.size, found.mtimeNs].join() : 'missing'
}
