import type { Run } from '../command.ts'

export const start: Run = async ({ settings }) => {
  // Wherever one stands, the data are where `npm start` has them.
  process.env.DATA_DIR = settings.dataDir
  // The server stops by its own rules.
  process.removeAllListeners('SIGINT')
  // Being loaded is what starts it. It ends the process itself.
  await import(new URL('../../main.ts', import.meta.url).href)
  return new Promise<number>(() => {})
}
