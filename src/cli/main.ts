// The command line: runs one command and ends with an exit code for the outcome. Commands reach a
// server over HTTP; only those for a server on this machine, such as `doctor` and `backup`, load
// its code. Standard output contains results only. Never shows a key it was given.
import { systemClock } from '#core/clock.ts'
import { dispatch } from './dispatch.ts'
import { wantsStyle } from './settings.ts'
import { exits, interrupted } from './terminal/failure.ts'
import { createPrinter } from './terminal/printer.ts'

const { stdout, stderr, stdin, env, argv } = process
const styled = wantsStyle(env)

// A reader that closes the pipe early, such as `head`, is not a failure.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(exits.ok)
  })
}

const controller = new AbortController()
let interruptedAtMs = Number.NaN
// One key press may arrive twice: from the terminal and from the parent process.
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
// Standard input that was not read to its end would keep the process alive.
stdin.destroy()
