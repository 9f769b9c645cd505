// The process of a server: reads the environment, starts what ROLE says, stops cleanly on a signal.

import { type Config, ConfigError, readConfig } from '#config'
import { createLog, type Logger } from '#operate/log.ts'
import { giveBackMemoryOnceIdle } from '#operate/process/give-back-memory.ts'
import { onStop } from '#operate/process/stop-signals.ts'
import { openConsole } from './open-console.ts'
import { type Running, start } from './start.ts'

/** Longer than any step of a stop takes besides the requests in flight. */
const brokenMs = 10_000

try {
  const config = readConfig(process.env)
  const log = createLog(config.LOG_LEVEL)
  const running = await start(config, process.env, log)
  let stopConsole = () => {}
  const end = async (exitCode: number) => {
    stopConsole()
    await running.stop()
    log.info('stopped')
    process.exit(exitCode)
  }
  // Must precede the announcement: whoever waits for the server to be ready may stop it at once.
  onStop({ drain: running.drain, stop: () => end(0) })
  void running.broken.then((err) => {
    log.fatal({ err }, 'Nothing can be stored safely any more: the process ends, to be restarted')
    // Storage that hangs must not keep the process from its restart.
    setTimeout(() => process.exit(1), brokenMs + config.SHUTDOWN_SECONDS * 1000)
    void end(1)
  })
  announce(config, running, log)
  giveBackMemoryOnceIdle()
  if (config.CONSOLE === 'on') stopConsole = openConsole(running.consoleFiles, log)
} catch (error) {
  if (error instanceof ConfigError) console.error(error.message)
  else console.error(`Atelier could not start: ${error instanceof Error ? error.message : error}`)
  if (process.env.LOG_LEVEL === 'debug') console.error(error)
  process.exit(1)
}

function announce(config: Config, running: Running, log: Logger) {
  const { baseUrl, ownerKeyPath, setupLink } = running
  if (config.ROLE === 'worker') {
    log.info('Atelier works')
    // If this process started first, no other process prints this.
    if (ownerKeyPath) console.error(`\n  Your API key   ${ownerKeyPath}\n`)
    return
  }
  log.info({ address: baseUrl, role: config.ROLE }, 'Atelier is ready')
  const lines = [
    `Atelier is ready at ${baseUrl}`,
    `Console        ${baseUrl}/console/`,
    `API reference  ${baseUrl}/docs`,
    ...(ownerKeyPath ? [`Your API key   ${ownerKeyPath}`] : []),
    ...(setupLink ? [`Set a password ${setupLink} (works once, for 24 h)`] : []),
  ]
  // Printed in one piece, so that the log, which goes to another stream, cannot interrupt it.
  console.error(`\n${lines.map((line) => `  ${line}\n`).join('')}`)
}
