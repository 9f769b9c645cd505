import type { Run } from '../command.ts'

export const start: Run = async ({ settings }) => {
  // In a clone, use the data folder of `npm start`, whatever the current directory is.
  process.env.DATA_DIR = settings.dataDir
  // The server has its own signal handlers.
  process.removeAllListeners('SIGINT')
  // Importing the module starts the server, which ends the process itself.
  await import(new URL('../../main.ts', import.meta.url).href)
  return new Promise<number>(() => {})
}
