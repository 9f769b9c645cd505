// A whole Atelier on a folder of its own; prints its address.
import { createLog } from '../../src/app/log.ts'
import { start } from '../../src/app/start.ts'
import { readConfig } from '../../src/config.ts'

const config = readConfig(process.env)
const running = await start(config, process.env, createLog(config.LOG_LEVEL))
console.log(JSON.stringify({ url: running.baseUrl }))
// Never outlives the bench that started it.
process.on('disconnect', () => process.exit(1))
process.on('SIGTERM', () => void running.stop().then(() => process.exit(0)))
process.on('SIGUSR2', () =>
  console.error(JSON.stringify({ rssMb: process.memoryUsage().rss / 1e6 })),
)
