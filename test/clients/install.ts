// Installs the real clients from their packages, each into a folder of its own. With
// ATELIER_CLIENTS_DIR the folders stay there for the next time.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { Agent } from './agents/agent.ts'

const execute = promisify(execFile)

export type Installed = { program: string; version: string }

/** `npm run` puts the Node of this project first; agents run in the one that people have. */
export const searchPath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter)

const env = { ...process.env, PATH: searchPath }

export async function install(agent: Agent, parent: string): Promise<Installed> {
  const [main = ''] = agent.packages
  if (agent.from === 'here') {
    const own = new URL(`../../node_modules/${main}/package.json`, import.meta.url)
    return { program: agent.program, version: versionIn(await readFile(own, 'utf8')) }
  }
  const folder = join(parent, agent.name)
  await mkdir(folder, { recursive: true })
  return agent.from === 'npm' ? fromNpm(agent, folder, main) : fromPypi(agent, folder, main)
}

async function fromNpm(agent: Agent, folder: string, main: string): Promise<Installed> {
  const modules = join(folder, 'node_modules')
  if (!existsSync(join(modules, '.bin', agent.program))) {
    await writeFile(join(folder, 'package.json'), '{"private":true}')
    await execute('npm', ['install', '--no-audit', '--no-fund', main], { cwd: folder, env })
  }
  const manifest = await readFile(join(modules, main, 'package.json'), 'utf8')
  return { program: join(modules, '.bin', agent.program), version: versionIn(manifest) }
}

async function fromPypi(agent: Agent, folder: string, main: string): Promise<Installed> {
  const bin = join(folder, 'bin')
  if (!existsSync(join(bin, 'installed'))) {
    await execute('python3', ['-m', 'venv', folder], { env })
    await execute(join(bin, 'pip'), ['install', '--quiet', ...agent.packages], { env })
    await writeFile(join(bin, 'installed'), '')
  }
  const { stdout } = await execute(join(bin, 'pip'), ['show', main], { env })
  const version = /^Version: (.+)$/m.exec(stdout)?.[1] ?? 'unknown'
  return { program: join(bin, agent.program), version }
}

const versionIn = (manifest: string): string => JSON.parse(manifest).version
