import assert from 'node:assert/strict'
import { test } from 'node:test'
import { combinationOf } from '#console/lib/shortcuts.ts'
import { matchCommands } from '#console/ui/match-commands.ts'

const press = (key: string, held: Partial<Parameters<typeof combinationOf>[0]> = {}) =>
  combinationOf({
    key,
    code: '',
    ctrlKey: false,
    metaKey: false,
    shiftKey: false,
    altKey: false,
    ...held,
  })

test('Ctrl and ⌘ are both Mod', () => {
  assert.equal(press('k', { ctrlKey: true }), 'Mod+K')
  assert.equal(press('k', { metaKey: true }), 'Mod+K')
  assert.equal(press('Z', { metaKey: true, shiftKey: true }), 'Shift+Mod+Z')
})

test('Shift is told with digits and named keys, not where it makes another sign', () => {
  assert.equal(press('?', { shiftKey: true }), '?')
  assert.equal(press('!', { shiftKey: true, code: 'Digit1' }), 'Shift+1')
  assert.equal(press('ArrowLeft', { shiftKey: true }), 'Shift+ArrowLeft')
  assert.equal(press('ArrowLeft', { altKey: true }), 'Alt+ArrowLeft')
  assert.equal(press('F8'), 'F8')
  assert.equal(press('g'), 'g')
})

const command = (label: string, keywords = '') => ({
  id: label,
  label,
  group: 'Go to',
  keywords,
  run: () => undefined,
})
const commands = [command('Workflows'), command('New workflow'), command('Keys', 'token secret')]
const found = (query: string) => matchCommands(commands, query).map(({ label }) => label)

test('every typed word must occur; what begins with the first comes first', () => {
  assert.deepEqual(found(''), ['Workflows', 'New workflow', 'Keys'])
  assert.deepEqual(found('new'), ['New workflow'])
  assert.deepEqual(found('workf'), ['Workflows', 'New workflow'])
  assert.deepEqual(found('flow new'), ['New workflow'])
  assert.deepEqual(found('secret'), ['Keys'])
  assert.deepEqual(found('nothing'), [])
})
