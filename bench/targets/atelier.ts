// A complete Atelier server with its own data folder; prints its address.

import { start } from '../../src/app/start.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/operate/log.ts'
import { giveBackMemoryOnceIdle } from '../../src/operate/process/give-back-memory.ts'
import '../answer-questions.ts'

const config = readConfig(process.env)
const running = await start(config, process.env, createLog(config.LOG_LEVEL))
giveBackMemoryOnceIdle()
console.log(JSON.stringify({ url: running.baseUrl }))
// Ends with the benchmark that started it.
process.on('disconnect', () => process.exit(1))
process.on('SIGTERM', () => void running.stop().then(() => process.exit(0)))
