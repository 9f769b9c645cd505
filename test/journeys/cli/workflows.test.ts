import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { greeting } from './graphs.ts'
import { inTerminal, openSetting } from './setting.ts'

test('a workflow goes up from a file, comes down again, and is changed after a yes', async (t) => {
  const { cli, folder, env } = await openSetting(t)
  await writeFile(join(folder, 'greeting.json'), JSON.stringify(greeting))
  const made = await cli(['workflow', 'push', 'greeting.json'])
  assert.equal(made.code, 0, made.stderr)
  assert.equal(made.stdout, 'Created workflow 1, version 1: Greeting\n')

  const pulled = await cli(['workflow', 'pull', '1', 'mine.json'])
  assert.equal(pulled.code, 0, pulled.stderr)
  const file = JSON.parse(await readFile(join(folder, 'mine.json'), 'utf8'))
  assert.deepEqual([file.workflowId, file.name, file.version], [1, 'Greeting', 1])
  assert.deepEqual(file.data, greeting.data)

  const again = await cli(['workflow', 'pull', '1', 'mine.json'])
  assert.equal(again.code, 1)
  assert.match(again.stderr, /already exists.*\nPass --force/)

  const unasked = await cli(['workflow', 'push', 'mine.json'])
  assert.equal(unasked.code, 2)
  assert.match(unasked.stderr, /Update workflow 1, "Greeting", from version 1\?\n.*--yes/)
  const changed = await cli(['workflow', 'push', 'mine.json', '--name', 'Second', '--yes'])
  assert.equal(changed.stdout, 'Updated workflow 1, version 2: Second\n')

  const mine = join(folder, 'mine.json')
  const no = inTerminal(['workflow', 'push', mine], env)
  await no.shows('The file was written at version 1: later changes would be replaced. [y/N]')
  no.type('n\r')
  assert.equal(await no.ended, 1)
  const yes = inTerminal(['workflow', 'push', mine], env)
  await yes.shows('[y/N]')
  yes.type('y\r')
  assert.equal(await yes.ended, 0)
  assert.match(yes.screen(), /Updated workflow 1, version 3: Greeting$/)

  const list = await cli(['workflow'])
  assert.match(list.stdout, /^WORKFLOW .*NAME\n1 +3 +4 .* Greeting\n$/)
  const other = await cli(['workflow', 'push', 'mine.json', '--new', '--json'])
  assert.equal(JSON.parse(other.stdout).workflowId, 2)
})

test('a workflow shows its inputs and nodes, and goes to standard output as a file', async (t) => {
  const { cli } = await openSetting(t)
  await cli(['workflow', 'push', '-'], { stdin: JSON.stringify(greeting) })
  const shown = await cli(['workflow', 'get', '1'])
  assert.match(shown.stdout, /^Greeting \(workflow 1, version 1\)/)
  assert.match(shown.stdout, /\nname +string +yes\ntimes +number\n/)
  assert.match(shown.stdout, /\nwords +text\.template\n/)
  const piped = await cli(['workflow', 'pull', '1', '-'])
  assert.deepEqual(JSON.parse(piped.stdout).data, greeting.data)
  const missing = await cli(['workflow', 'get', '77'])
  assert.equal(missing.code, 1)
  assert.match(missing.stderr, /WORKFLOW_NOT_FOUND/)
})

test('a graph is checked without being stored, every problem with its path', async (t) => {
  const { cli, folder } = await openSetting(t)
  const valid = await cli(['workflow', 'validate', '-'], { stdin: JSON.stringify(greeting.data) })
  assert.deepEqual([valid.code, valid.stdout], [0, 'valid (4 nodes, 3 connections)\n'])
  const broken = { nodes: [{ id: 'a', type: 'no.such' }], connections: [] }
  await writeFile(join(folder, 'broken.json'), JSON.stringify({ name: 'x', data: broken }))
  const refused = await cli(['workflow', 'validate', 'broken.json'])
  assert.equal(refused.code, 1)
  assert.match(refused.stdout, /^error UNKNOWN_NODE_TYPE \/nodes\/0/)
  assert.match(refused.stdout, /not valid: 2 errors\n$/)
  const asJson = await cli(['workflow', 'validate', 'broken.json', '--json'])
  assert.equal(asJson.code, 1)
  assert.equal(JSON.parse(asJson.stdout).valid, false)

  const stored = await cli(['workflow', 'push', 'broken.json'])
  assert.equal(stored.code, 1)
  assert.match(stored.stderr, /WORKFLOW_INVALID/)
  await writeFile(join(folder, 'words.json'), 'not JSON')
  const words = await cli(['workflow', 'validate', 'words.json'])
  assert.equal(words.code, 2)
  assert.match(words.stderr, /words\.json is not JSON/)
  const nothing = await cli(['workflow', 'validate', 'nothing.json'])
  assert.equal(nothing.code, 2)
  assert.match(nothing.stderr, /nothing\.json cannot be read: there is no such file/)
})

test('validate and push warn about a misspelt setting', async (t) => {
  const { cli, folder } = await openSetting(t)
  const data = {
    nodes: [{ id: 'a', type: 'output', data: { value: 1, vlaue: 2 } }],
    connections: [],
  }
  await writeFile(join(folder, 'w.json'), JSON.stringify({ name: 'w', data }))
  const warning = /warning UNKNOWN_SETTING \/nodes\/0\/data\/vlaue: .*Did you mean "value"\?/
  const checked = await cli(['workflow', 'validate', 'w.json'])
  assert.equal(checked.code, 0, checked.stderr)
  assert.match(checked.stdout, warning)
  const pushed = await cli(['workflow', 'push', 'w.json'])
  assert.equal(pushed.code, 0, pushed.stderr)
  assert.match(pushed.stdout, /^Created workflow 1, version 1: w\n$/)
  assert.match(pushed.stderr, warning)
})

test('an error tells all its details', async (t) => {
  const { cli, folder } = await openSetting(t)
  const data = { nodes: [{ id: 'a', type: 'output', data: { value: 1 } }], connections: [] }
  await writeFile(join(folder, 'w.json'), JSON.stringify({ name: 'w', data }))
  await cli(['workflow', 'push', 'w.json'])
  const refused = await cli(['run', '1', '--callback-url', 'http://10.0.0.1/'])
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /CALLBACK_URL_REJECTED.*\n {2}reason: ADDRESS\n/)
  const broken = { nodes: [{ id: 'a', type: 'output', data: {} }], connections: [] }
  await writeFile(join(folder, 'b.json'), JSON.stringify({ name: 'b', data: broken }))
  const invalid = await cli(['workflow', 'push', 'b.json'])
  assert.match(invalid.stderr, /\n {2}REQUIRED_PORT_UNCONNECTED \/data\/nodes\/0 /)
})

test('a workflow is made from a template and runs on the inputs to try it with', async (t) => {
  const { cli, folder } = await openSetting(t)
  const listed = await cli(['templates'])
  assert.equal(listed.code, 0, listed.stderr)
  assert.match(listed.stdout, /^TEMPLATE +NODES +NAME\n/)
  const id = 'meeting-notes'
  assert.match(listed.stdout, new RegExp(`^${id} `, 'm'))
  const shown = await cli(['templates', 'show', id])
  assert.match(shown.stdout, new RegExp(`\\(template ${id}\\)\n[\\s\\S]*NODE +TYPE`))
  const { sampleInputs } = JSON.parse((await cli(['templates', 'show', id, '--json'])).stdout)
  const created = await cli(['templates', 'create', id, '--name', 'My notes'])
  assert.equal(created.code, 0, created.stderr)
  assert.equal(created.stdout, 'Created workflow 1: My notes\n')
  assert.match(created.stderr, /atelier run 1 --inputs -/)
  await writeFile(join(folder, 'inputs.json'), JSON.stringify(sampleInputs))
  const ran = await cli(['run', '1', '--inputs', 'inputs.json', '--json'])
  assert.equal(JSON.parse(ran.stdout).status, 'COMPLETED', ran.stdout)
  const unknown = await cli(['templates', 'create', 'nothing'])
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /TEMPLATE_NOT_FOUND.*\n"atelier templates" lists them\./)
})

test('an estimate costs nothing and takes inputs', async (t) => {
  const { cli } = await openSetting(t)
  await cli(['workflow', 'push', '-'], { stdin: JSON.stringify(greeting) })
  const shown = await cli(['workflow', 'estimate', '1', '--input', 'name=Ada'])
  assert.deepEqual([shown.code, shown.stdout.split('\n')[0]], [0, '$0'])
  const asJson = await cli(['workflow', 'estimate', '1', '--json'])
  assert.equal(JSON.parse(asJson.stdout).currency, 'USD')
})

test('a workflow is deleted only when its exact identifier is given again', async (t) => {
  const { cli, env } = await openSetting(t)
  await cli(['workflow', 'push', '-'], { stdin: JSON.stringify(greeting) })
  const unasked = await cli(['workflow', 'delete', '1'])
  assert.equal(unasked.code, 2)
  assert.match(unasked.stderr, /Pass --confirm 1/)
  assert.equal((await cli(['workflow', 'delete', '1', '--confirm', '2'])).code, 1)
  const asked = inTerminal(['workflow', 'delete', '1'], env)
  await asked.shows('deletes workflow 1, "Greeting", for good. Type 1 to confirm:')
  asked.type('yes\r')
  assert.equal(await asked.ended, 1)
  assert.equal((await cli(['workflow', 'get', '1'])).code, 0)
  const sure = inTerminal(['workflow', 'delete', '1'], env)
  await sure.shows('Type 1 to confirm:')
  sure.type('1\r')
  assert.equal(await sure.ended, 0)
  assert.equal((await cli(['workflow', 'get', '1'])).code, 1)
})
