// A client made from our OpenAPI documents by a generator that others use: its types hold what the
// server sends, refuse what it would refuse, and its calls work.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempDisposable, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Defaults } from '@oazapfts/runtime'
import { generateSource } from 'oazapfts'
import { consolePath } from '../../support/console.ts'
import { P, startServer, type TestServer } from '../../support/server.ts'

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url))

/** What somebody would write who has the generated files and nothing else. */
const program = `
import * as api from './api.ts'
import type { Member } from './area.ts'

const graph: api.Graph = {
  nodes: [
    { id: 'phrase', type: 'input.text', position: { x: 0, y: 0 }, data: { label: 'Phrase' } },
    { id: 'greet', type: 'text.template', data: { template: 'Well, {{words}}!' } },
    { id: 'greeting', type: 'output', data: {} },
  ],
  connections: [
    { source: 'phrase', target: 'greet', targetHandle: 'words' },
    { source: 'greet', target: 'greeting' },
  ],
}

const refused = [
  // @ts-expect-error There is no such type of node.
  { id: 'x', type: 'no.such', data: {} } satisfies api.Node,
  // @ts-expect-error Without data.
  { id: 'x', type: 'output' } satisfies api.Node,
  // @ts-expect-error A template is text.
  { id: 'x', type: 'text.template', data: { template: 7 } } satisfies api.Node,
  // @ts-expect-error A name is text.
  { name: 7 } satisfies api.WorkflowPatch,
  // @ts-expect-error There is no such state.
  'ENDED' satisfies api.RunStatus,
]

export const templatesIn = ({ nodes }: api.Graph): string[] =>
  nodes.flatMap((node) => (node.type === 'text.template' ? [node.data.template] : []))

export const emailsOf = (members: readonly Member[]): (string | null)[] => members.map(({ email }) => email)

async function ended(runId: string): Promise<api.Run> {
  for (;;) {
    const read = await api.getWorkflowRun(runId)
    if (read.status !== 200) throw new Error(String(read.status))
    const run = read.data.data
    if (['COMPLETED', 'FAILED', 'CANCELLED'].includes(run.status)) return run
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

export async function tryAll() {
  const created = await api.createWorkflow({ name: 'Greeting', data: graph })
  if (created.status !== 200) throw new Error(created.data.error.message)
  const { id } = created.data.data
  const missing = await api.getWorkflow(id + 1)
  const changed = await api.updateWorkflow(id, { name: 'Greetings' })
  if (changed.status !== 200) throw new Error(changed.data.error.code)
  const begun = await api.runWorkflow(id, 'generated-1', { inputs: { phrase: 'hello' } })
  if (begun.status !== 202) throw new Error(String(begun.status))
  const { status, outputs } = await ended(begun.data.data.runId)
  const { name, data } = changed.data.data
  return { refused: refused.length, missing: missing.status, name, data, sent: graph, status, outputs }
}
`

const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  erasableSyntaxOnly: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
  module: 'nodenext',
  target: 'esnext',
  lib: ['esnext', 'dom', 'dom.iterable'],
  types: [],
}

async function generateInto(folder: string, server: TestServer) {
  for (const [name, path] of [
    ['api', P],
    ['area', consolePath],
  ] as const) {
    const document = join(folder, `${name}.json`)
    const { text } = await server.call({ path: `${path}/openapi.json`, key: null })
    await writeFile(document, text)
    await writeFile(join(folder, `${name}.ts`), await generateSource(document))
  }
  await writeFile(join(folder, 'program.ts'), program)
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  const config = { compilerOptions, files: ['program.ts'] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  await symlink(modules, join(folder, 'node_modules'), 'junction')
}

test('a generated TypeScript client compiles strictly, refuses what is wrong, and works', async () => {
  await using server = await startServer()
  await using folder = await mkdtempDisposable(join(tmpdir(), 'atelier-generated-'))
  await generateInto(folder.path, server)
  const tsc = join(modules, 'typescript/bin/tsc')
  const compiled = promisify(execFile)(process.execPath, [tsc, '-p', folder.path])
  await compiled.catch(({ stdout }) => assert.fail(stdout))
  const load = (name: string) => import(pathToFileURL(join(folder.path, name)).href)
  const { defaults }: { defaults: Defaults } = await load('api.ts')
  defaults.baseUrl = server.url
  defaults.headers = { authorization: `Bearer ${server.ownerKey}` }
  const { sent, ...seen } = await (await load('program.ts')).tryAll()
  assert.deepEqual(seen, {
    refused: 5,
    missing: 404,
    name: 'Greetings',
    data: sent,
    status: 'COMPLETED',
    outputs: { greeting: 'Well, hello!' },
  })
})
