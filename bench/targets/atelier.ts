// A whole Atelier on a folder of its own; prints its address.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createLog } from '../../src/app/log.ts'
import { start } from '../../src/app/start.ts'
import { readConfig } from '../../src/config.ts'

const config = readConfig(process.env)
const running = await start(config, process.env, createLog(config.LOG_LEVEL))
console.log(JSON.stringify({ url: running.baseUrl }))
// Never outlives the bench that started it.
process.on('disconnect', () => process.exit(1))
process.on('SIGTERM', () => void running.stop().then(() => process.exit(0)))
// What is left when garbage is gone: without this, memory shows when the collector last ran.
process.on('message', () => {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  process.send?.({ rssMb: process.memoryUsage().rss / 2 ** 20 })
})
