import type { ConsoleFiles } from '#http/console-files.ts'
import type { Logger } from '#operate/log.ts'
import { startConsoleBuild } from '#operate/process/console-build.ts'

/** Serves the console, after building it if its sources changed. Returns a function to stop. */
export function openConsole(files: ConsoleFiles | null, log: Logger): () => void {
  if (!files) return () => undefined
  files.building()
  let isStopped = false
  const build = startConsoleBuild()
  if (build.isFresh) log.info('building the console; the API already works')
  build.folder
    .then((folder) => files.load(folder))
    .catch((err: unknown) => {
      if (isStopped) return
      files.failed()
      log.error({ err }, 'the console could not be built')
    })
  return () => {
    isStopped = true
    build.stop()
  }
}
