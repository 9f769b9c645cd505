// One agent with a home and a folder of its own, which is given one prompt after the other.
import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Agent, Setting } from './agents/agent.ts'
import { type Installed, searchPath } from './install.ts'

export type Session = {
  folder: string
  /** Resolves with what the agent printed, once it has ended well. */
  ask(prompt: string): Promise<string>
  /** The content of a file in its folder, empty if there is none. */
  read(file: string): Promise<string>
}

export type Place = Pick<Setting, 'url' | 'key' | 'model'> & {
  /** A folder that does not exist yet. */
  root: string
  hasManyTools?: boolean
  /** A stream may last this long, besides what the agent needs itself. */
  seconds?: number
}

const manyTools = [process.execPath, fileURLToPath(new URL('many-tools.mjs', import.meta.url))]
// Eight by eight pixels in one colour.
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC'

const paper = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj
trailer<</Root 1 0 R>>
`

export async function openSession(
  agent: Agent,
  { program }: Installed,
  place: Place,
): Promise<Session> {
  const { root, seconds = 0, hasManyTools = false } = place
  const home = join(root, 'home')
  const folder = join(root, 'work')
  await mkdir(home, { recursive: true })
  await mkdir(folder)
  await writeFile(join(folder, 'picture.png'), Buffer.from(picture, 'base64'))
  await writeFile(join(folder, 'paper.pdf'), paper)
  const setting: Setting = {
    ...place,
    home,
    folder,
    manyTools: hasManyTools ? manyTools : undefined,
  }
  await agent.prepare?.(setting)
  const env = { PATH: searchPath, HOME: home, TERM: 'dumb', ...agent.env(setting) }
  let turn: 'first' | 'next' = 'first'
  return {
    folder,
    ask: (prompt) => {
      const args = agent.args(setting, prompt, turn)
      turn = 'next'
      return finish(program, args, { cwd: folder, env }, 180 + seconds)
    },
    read: (file) => readFile(join(folder, file), 'utf8').catch(() => ''),
  }
}

function finish(
  program: string,
  args: string[],
  options: { cwd: string; env: Record<string, string> },
  limitSeconds: number,
): Promise<string> {
  // In a group of its own, because some agents start themselves again and hold the pipes open.
  const child = spawn(program, args, {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let printed = ''
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  }
  const end = () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL')
  process.once('exit', end)
  const limit = setTimeout(end, limitSeconds * 1000)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(limit)
      process.off('exit', end)
      if (code === 0) resolve(printed)
      else reject(new Error(`it ended with ${code}: ${printed.slice(-600)}`))
    })
  })
}
