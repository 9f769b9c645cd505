import { onOrphaned } from './npm-parent.ts'

// A terminal sends Ctrl-C to every process of its group, and npm and our launcher pass it on, so
// that one key press arrives several times. Nobody presses it again this fast.
const sameKeyPressMs = 250
/** What a shell reports for a program that Ctrl-C has ended. */
const interrupted = 130

type Stopping = { drain(): Promise<void>; stop(): Promise<void> }

/**
 * SIGTERM comes from supervisors: requests are served on while proxies learn to send them
 * elsewhere. Ctrl-C comes from a person, who need not wait for that; pressed again, it ends the
 * process immediately, as a crash would.
 */
export function onStop({ drain, stop }: Stopping): void {
  let isStopping = false
  let pressedAtMs = Number.NEGATIVE_INFINITY
  const stopOnce = async (isDrained: boolean) => {
    if (isStopping) return
    isStopping = true
    if (isDrained) await drain()
    await stop()
  }
  process.on('SIGTERM', () => void stopOnce(true))
  process.on('SIGINT', () => {
    const now = performance.now()
    const isSamePress = now - pressedAtMs < sameKeyPressMs
    pressedAtMs = now
    if (!isStopping) console.error('\n  Stopping. Press Ctrl-C again to end at once.')
    else if (!isSamePress) process.exit(interrupted)
    void stopOnce(false)
  })
  onOrphaned(process.env, () => void stopOnce(false))
}
