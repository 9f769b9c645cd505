// Builds and joins all: reads the environment, starts what ROLE says, stops cleanly on a signal.
import { createLog } from './app/log.ts'
import { openConsole } from './app/open-console.ts'
import { start } from './app/start.ts'
import { ConfigError, readConfig } from './config.ts'

try {
  const config = readConfig(process.env)
  const log = createLog(config.LOG_LEVEL)
  const running = await start(config, process.env, log)
  if (config.ROLE !== 'worker') {
    log.info({ address: running.baseUrl, role: config.ROLE }, 'Atelier is ready')
    console.error(
      `\n  Atelier is ready at ${running.baseUrl}\n  Console        ${running.baseUrl}/console/\n  API reference  ${running.baseUrl}/docs`,
    )
    if (running.ownerKeyPath) console.error(`  Your API key   ${running.ownerKeyPath}`)
    if (running.setupLink)
      console.error(`  Set a password ${running.setupLink} (works once, for 24 h)`)
    console.error('')
  } else {
    log.info('Atelier works')
  }
  const stopConsole = config.CONSOLE === 'on' ? openConsole(running.consoleFiles, log) : () => {}
  let isStopping = false
  const stop = async () => {
    if (isStopping) return
    isStopping = true
    stopConsole()
    await running.stop()
    log.info('stopped')
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
} catch (error) {
  if (error instanceof ConfigError) console.error(error.message)
  else console.error(`Atelier could not start: ${error instanceof Error ? error.message : error}`)
  if (process.env.LOG_LEVEL === 'debug') console.error(error)
  process.exit(1)
}
