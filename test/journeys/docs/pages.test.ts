import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { startServer } from '../../support/server.ts'
import { blocksOf, commandsOf, isAsShown, modelsFileOf, root } from './doc-page.ts'
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

test('every block of the pages names its language, and so whether a test runs it', () => {
  const nameless = pages.flatMap((page) =>
    blocksOf(page)
      .filter(({ language }) => !languages.includes(language))
      .map(({ line, language }) => `${page}:${line} is "${language}"`),
  )
  assert.deepEqual(nameless, [])
})
