// Puts settings into the files of an agent. What else is in a file stays; a file that changes is
// copied first, and one that cannot be read is left alone.
import { constants } from 'node:fs'
import { chmod, copyFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CliFailure, exits } from '../terminal/failure.ts'
import type { SettingsFile } from './agent-settings.ts'

export type Written = {
  path: string
  /** The copy of what was there before; null if there was no file. */
  backup: string | null
}

/** The whole content of the file, given what is in it now. */
export function contentOf(file: SettingsFile, before = ''): string {
  switch (file.kind) {
    case 'json':
      return `${JSON.stringify(merged(readObject(before, file.path), file.value), null, 2)}\n`
    case 'lines':
      return withLines(before, file.separator, file.values)
    case 'entry':
      return isIn(before, file.text) ? before : ended(before) + file.text
    case 'own':
      return file.text
    default:
      return file satisfies never
  }
}

export async function writeSettings(
  home: string,
  file: SettingsFile,
  { key, nowMs }: { key: string; nowMs: number },
): Promise<Written> {
  const path = join(home, file.path)
  const before = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  const content = contentOf(file, before ?? '')
  await mkdir(dirname(path), { recursive: true })
  if (before === null) {
    // It may hold a key. If another program has made the file meanwhile, this fails.
    await writeFile(path, content, { mode: 0o600, flag: 'wx' })
    return { path, backup: null }
  }
  // Before it holds the key, and before it is copied: there may be an older key in it.
  if (content.includes(key)) await keepPrivate(path)
  const backup = `${path}.${new Date(nowMs).toISOString().replaceAll(':', '-')}.bak`
  await copyFile(path, backup, constants.COPYFILE_EXCL)
  await writeFile(path, content)
  return { path, backup }
}

async function keepPrivate(path: string): Promise<void> {
  const { mode } = await stat(path)
  if ((mode & 0o077) !== 0) await chmod(path, 0o600)
}

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function readObject(text: string, path: string): Fields {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (isFields(value)) return value
  } catch {
    // Comments, for example, which would be lost.
  }
  throw new CliFailure(`~/${path} is not an object in plain JSON, so nothing was changed.`, {
    exitCode: exits.failed,
    code: 'UNREADABLE_SETTINGS',
    hint: 'Run the command without --write, and put what it prints into the file yourself.',
  })
}

const merged = (before: Fields, added: Fields): Fields => ({
  ...before,
  ...Object.fromEntries(
    Object.entries(added).map(([name, value]) => {
      const now = before[name]
      return [name, isFields(now) && isFields(value) ? merged(now, value) : value]
    }),
  ),
})

function withLines(before: string, separator: string, values: Record<string, string>): string {
  const left = new Map(Object.entries(values))
  const kept = before.split('\n').map((line) => {
    const name = [...left.keys()].find((one) => line.startsWith(`${one}${separator.trim()}`))
    if (name === undefined) return line
    const value = left.get(name)
    left.delete(name)
    return `${name}${separator}${value}`
  })
  const added = [...left].map(([name, value]) => `${name}${separator}${value}\n`)
  return ended(kept.join('\n')) + added.join('')
}

const isIn = (before: string, text: string): boolean =>
  `\n${before}`.includes(`\n${text.split('\n')[0]}\n`)

const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)
