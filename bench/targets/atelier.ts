// A complete Atelier server with its own data folder; prints its address.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createLog } from '../../src/app/log.ts'
import { start } from '../../src/app/start.ts'
import { readConfig } from '../../src/config.ts'

const config = readConfig(process.env)
const running = await start(config, process.env, createLog(config.LOG_LEVEL))
console.log(JSON.stringify({ url: running.baseUrl }))
// Ends with the benchmark that started it.
process.on('disconnect', () => process.exit(1))
process.on('SIGTERM', () => void running.stop().then(() => process.exit(0)))
// Collects garbage before measuring memory; otherwise the figure depends on the last collection.
process.on('message', () => {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  process.send?.({ rssMb: process.memoryUsage().rss / 2 ** 20 })
})
