import { readFile, stat } from 'node:fs/promises'
import type { Logger } from './log.ts'
import { repeat } from './periodic.ts'

/** Often enough that nobody waits for it, and one look at a file costs next to nothing. */
const lookEveryMs = 1_000

export type ModelsFileState = {
  /** When the models in use were read. */
  readAtMs: number
  /** True while the file holds something newer that could not be used. */
  isRefused: boolean
}

type WatchOptions = {
  path: string
  /** The content in use. */
  text: string
  take(text: string): Promise<void>
  nowMs(): number
  log: Logger
  everyMs?: number
}

/**
 * Reads MODELS_FILE again once it has changed and then stayed the same for one interval, so that
 * a file that is still being written is left alone. It is polled rather than watched: events are
 * lost on network folders and on the symbolic links through which clusters mount their settings.
 */
export function watchModelsFile(options: WatchOptions) {
  const { path, take, nowMs, log, everyMs = lookEveryMs } = options
  const state: ModelsFileState = { readAtMs: nowMs(), isRefused: false }
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
        log.info({ path }, 'the models file was read again')
      }
      state.isRefused = false
    } catch (err) {
      state.isRefused = true
      log.error(
        { err },
        'the models file cannot be read or is not valid; the previous models stay in use',
      )
    }
  }
  const stop = repeat(everyMs, look, (err) => log.error({ err }, 'the models file'))
  return { state: (): Readonly<ModelsFileState> => state, stop }
}

/** Differs whenever the file does, as far as the file system tells. */
async function stampOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => null)
  return found ? [found.ino, found.size, found.mtimeNs].join() : 'missing'
}
