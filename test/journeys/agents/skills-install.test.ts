import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { P } from '../../support/server.ts'
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts'

const installer = fileURLToPath(
  new URL('../../../node_modules/skills/bin/cli.mjs', import.meta.url),
)

// A request of the installer to any other host fails: the server alone must be enough.
const loopbackOnly = `data:text/javascript,${encodeURIComponent(`
  const real = globalThis.fetch
  globalThis.fetch = (input, init) => {
    const url = new URL(input.url ?? input)
    if (url.hostname === '127.0.0.1') return real(input, init)
    process.stderr.write('asked for ' + url.href)
    process.exit(97)
  }
`)}`

let folder: string
let server: ServerProcess
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atelier-skills-'))
  server = await startServerProcess({ DATA_DIR: join(folder, 'data') })
})
after(async () => {
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Runs the installer as a user would, in a project and a home of its own. */
async function install(name: string, source: string) {
  const project = join(folder, name)
  await mkdir(project)
  const child = spawn(
    process.execPath,
    ['--import', loopbackOnly, installer, 'add', source, '--yes', '--agent', 'claude-code'],
    {
      cwd: project,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, HOME: project, DO_NOT_TRACK: '1', NO_COLOR: '1' },
    },
  )
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (said += part))
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  assert.equal(code, 0, said)
  return { project, said }
}

async function installed(project: string, skill: string) {
  const root = join(project, '.claude', 'skills', skill)
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const files = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const path = join(entry.parentPath, entry.name)
        const bytes = await readFile(path)
        return {
          path: relative(root, path),
          sizeBytes: bytes.byteLength,
          sha256: createHash('sha256').update(bytes).digest('hex'),
        }
      }),
  )
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

const filesOf = async (skill: string) =>
  (await server.call({ path: `${P}/skills/${skill}`, key: null })).body.data.files

describe('the skills installer', () => {
  test('given the address of the server installs both skills as in the manifests', async () => {
    const { project } = await install('whole', server.url)
    for (const skill of ['service-workflows', 'service-generation']) {
      assert.deepEqual(await installed(project, skill), await filesOf(skill), skill)
    }
  })

  for (const path of ['/skills/service-workflows', '/skills/service-workflows.zip']) {
    test(`given ${path} installs that skill and no other`, async () => {
      const { project } = await install(path.replaceAll('/', '-'), server.url + P + path)
      const skills = await readdir(join(project, '.claude', 'skills'))
      assert.deepEqual(skills, ['service-workflows'])
      assert.deepEqual(
        await installed(project, 'service-workflows'),
        await filesOf('service-workflows'),
      )
    })
  }

  test('finds the same skills below /skills and /skills.zip', async () => {
    for (const path of ['/skills', '/skills.zip']) {
      const { project } = await install(`all${path.replaceAll('/', '-')}`, server.url + P + path)
      const skills = await readdir(join(project, '.claude', 'skills'))
      assert.deepEqual(skills.sort(), ['service-generation', 'service-workflows'])
    }
  })

  test('runs the command the catalogue and the manifest advise', async () => {
    const catalogue = await server.call({ path: `${P}/skills`, key: null })
    const manifest = await server.call({ path: `${P}/skills/service-generation`, key: null })
    assert.equal(catalogue.body.data.install, `npx skills add ${server.url}`)
    const [command, ...words] = String(manifest.body.data.install).split(' ')
    assert.deepEqual([command, ...words.slice(0, 2)], ['npx', 'skills', 'add'])
    const { project } = await install('advised', words[2] ?? '')
    assert.deepEqual(await readdir(join(project, '.claude', 'skills')), ['service-generation'])
  })
})
