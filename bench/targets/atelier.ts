// A complete Atelier server with its own data folder; prints its address.
import { giveBackMemoryOnceIdle } from '../../src/app/give-back-memory.ts'
import { createLog } from '../../src/app/log.ts'
import { start } from '../../src/app/start.ts'
import { readConfig } from '../../src/config.ts'
import '../answer-questions.ts'

const config = readConfig(process.env)
const running = await start(config, process.env, createLog(config.LOG_LEVEL))
giveBackMemoryOnceIdle()
console.log(JSON.stringify({ url: running.baseUrl }))
// Ends with the benchmark that started it.
process.on('disconnect', () => process.exit(1))
process.on('SIGTERM', () => void running.stop().then(() => process.exit(0)))
