import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type Body, P, startServer } from '../../support/server.ts'
import { blocksOf, commandsOf, isAsShown, modelsFileOf, modelsFilesOf, root } from './doc-page.ts'
import { openShell } from './shell.ts'

const pages = [
  'README.md',
  ...['docs', 'docs/agents', 'docs/examples'].flatMap((folder) =>
    readdirSync(root + folder)
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
]
const uuid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g
const languages = ['sh', 'console', 'text', 'json', 'js', 'ts', 'toml', 'html', 'python']

describe('what the pages tell to type', () => {
  for (const page of pages) {
    const commands = commandsOf(page)
    if (commands.length === 0) continue
    test(`${page} goes as it is shown`, async () => {
      await using folder = await mkdtempDisposable(join(tmpdir(), 'atelier-page-'))
      const models = modelsFileOf(page)
      const MODELS_FILE = join(folder.path, 'models.json')
      if (models) await writeFile(MODELS_FILE, models)
      await using server = await startServer(models ? { MODELS_FILE } : {})
      await using shell = openShell(server)
      const identifiers = new Map<string, string>()
      for (const { line, text, shown, isJson } of commands) {
        const meant = text.replace(uuid, (id) => identifiers.get(id) ?? id)
        const { printed, status } = await shell.type(meant)
        const where = `${page}:${line}\n$ ${meant}`
        // A page may show a failure on purpose; then it also shows what is printed.
        assert.ok(shown || status === 0, `${where}\nended with ${status}:\n${printed}`)
        if (shown === null) continue
        assert.ok(
          isAsShown(shown, printed, isJson),
          `${where}\nthe page shows\n${shown}\nbut this is printed\n${printed}`,
        )
        const real = printed.match(uuid) ?? []
        for (const [index, id] of (shown.match(uuid) ?? []).entries())
          identifiers.set(id, real[index] ?? id)
      }
    })
  }
})

test('a server starts with every MODELS_FILE that the pages show, and has its models', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'atelier-page-'))
  const shown = pages.flatMap((page) => modelsFilesOf(page).map((block) => ({ page, ...block })))
  assert.ok(shown.length >= 8, `${shown.length}`)
  for (const { page, line, text } of shown) {
    const MODELS_FILE = join(folder.path, `${line}.json`)
    await writeFile(MODELS_FILE, text)
    const { models = [], routes = [], deployments = [] } = JSON.parse(text)
    const keys = [...text.matchAll(/"apiKeyVariable": "(\w+)"/g)].map(([, name]) => [name, 'sk-1'])
    const env = { OPENAI_API_KEY: 'sk-0', ...Object.fromEntries(keys), MODELS_FILE }
    await using server = await startServer(env)
    const { items } = (await server.call(`${P}/models`)).body.data
    const ids = new Set(items.map(({ id }: { id: string }) => id))
    for (const { id, enabled = true } of models)
      assert.equal(ids.has(id), enabled, `${page}:${line} ${id}`)
    for (const { name } of routes) assert.ok(ids.has(`route:${name}`), `${page}:${line} ${name}`)
    const { providers } = (await server.call('/api/console/v1/server')).body.data
    const named = providers.flatMap(({ id, deployments }: Body) =>
      deployments.map(({ name }: Body) => `${id}/${name}`),
    )
    const expected = deployments.map(({ provider, name }: Body) => `${provider}/${name}`)
    assert.deepEqual(named.sort(), expected.sort(), `${page}:${line}`)
  }
})

test('every block of the pages names its language, and so whether a test runs it', () => {
  const nameless = pages.flatMap((page) =>
    blocksOf(page)
      .filter(({ language }) => !languages.includes(language))
      .map(({ line, language }) => `${page}:${line} is "${language}"`),
  )
  assert.deepEqual(nameless, [])
})
