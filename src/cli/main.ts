// The command line: reads words, does one thing on a server through its public API, and ends
// with an exit code that tells how it went. Promises results alone on standard output.
// Never shows a key it was given, and never reaches into the server's parts.
import { systemClock } from '#core/clock.ts'
import { dispatch } from './dispatch.ts'
import { wantsStyle } from './settings.ts'
import { exits, interrupted } from './terminal/failure.ts'
import { createPrinter } from './terminal/printer.ts'

const { stdout, stderr, stdin, env, argv } = process
const styled = wantsStyle(env)

// A reader that has seen enough, such as head, is no failure.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(exits.ok)
  })
}

const controller = new AbortController()
let interruptedAtMs = Number.NaN
// One press may arrive twice, from the terminal and from the process that started this one.
const onePressMs = 300
const onInterrupt = () => {
  const nowMs = systemClock.nowMs()
  if (nowMs - interruptedAtMs > onePressMs) process.exit(exits.interrupted)
  if (controller.signal.aborted) return
  interruptedAtMs = nowMs
  controller.abort(interrupted())
}
process.on('SIGINT', onInterrupt)

const exitCode = await dispatch(
  {
    env,
    clock: systemClock,
    signal: controller.signal,
    stdin,
    out: createPrinter(stdout, { styled }),
    err: createPrinter(stderr, { styled }),
  },
  argv.slice(2),
)
process.exitCode = exitCode
// An unread standard input would keep the process alive.
stdin.destroy()
