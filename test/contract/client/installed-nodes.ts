import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The oldest Node from 20 on that the machine has, besides the pinned one that runs the tests. */
export function oldestNode(): string {
  const own = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => join(folder, 'node'))
    .filter(existsSync)
  const [oldest] = [...new Set(own), process.execPath]
    .map((path) => ({ path, major: majorOf(path) }))
    .filter(({ major }) => major >= 20)
    .sort((a, b) => a.major - b.major)
  return oldest?.path ?? process.execPath
}

const majorOf = (path: string): number =>
  Number(/^v(\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))?.[1])
