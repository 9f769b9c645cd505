// The operator's files, for commands that run on the server's machine and change them.
import { constants } from 'node:fs'
import { chmod, chown, copyFile, readFile, rename, stat, writeFile } from 'node:fs/promises'
import type { Config } from '#config'
import { type ModelsFile, parseModelsFile } from '#providers/models-file.ts'
import { MachineRefused } from './machine-access.ts'

type FileSetting = 'MODELS_FILE' | 'PRICES_FILE'

/** Null if it does not exist yet, or is not set. */
export async function readSettingsFile(config: Config, setting: FileSetting) {
  const path = config[setting]
  if (path === '') return null
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}

export async function readModelsFile(config: Config): Promise<ModelsFile> {
  const text = await readSettingsFile(config, 'MODELS_FILE')
  try {
    return text === null ? {} : parseModelsFile(text)
  } catch (cause) {
    throw new MachineRefused(`MODELS_FILE ${(cause as Error).message}`)
  }
}

/** Keeps a copy of what was there. The server reads the new file within seconds. */
export async function writeSettingsFile(
  config: Config,
  setting: FileSetting,
  { text, nowMs }: { text: string; nowMs: number },
): Promise<{ path: string; copy: string | null }> {
  const path = config[setting]
  if (path === '') {
    throw new MachineRefused(
      `${setting} is not set. Set it to the path of a file, for the server too, and repeat the command.`,
    )
  }
  const before = await readSettingsFile(config, setting)
  const copy = `${path}.${new Date(nowMs).toISOString().replaceAll(':', '-')}.bak`
  if (before !== null) await copyFile(path, copy, constants.COPYFILE_EXCL)
  // It may hold keys. A server that reads meanwhile sees the old file or the new one.
  const draft = `${path}.new`
  await writeFile(draft, text, { mode: 0o600 })
  if (before !== null) await giveToReadersOf(path, draft)
  await rename(draft, path)
  return { path, copy: before === null ? null : copy }
}

/** Root may run a command whose file a server reads as another user. */
async function giveToReadersOf(path: string, draft: string): Promise<void> {
  const { mode, uid, gid } = await stat(path)
  if (process.getuid?.() === 0) await chown(draft, uid, gid)
  await chmod(draft, mode)
}
