import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { optionsOf, readArgs } from '../../../src/cli/args.ts'
import type { Command } from '../../../src/cli/command.ts'
import { commands, findCommand } from '../../../src/cli/commands.ts'
import { commandHelp, environment, exitCodes, groupHelp, overview } from '../../../src/cli/help.ts'
import { exits } from '../../../src/cli/terminal/failure.ts'

const plain = { paint: (_style: string, text: string) => text }

const command: Command = {
  name: 'try',
  summary: 'Try',
  positionals: [
    { name: 'FIRST', kind: 'one', help: 'Needed.' },
    { name: 'SECOND', kind: 'optional', help: 'Not needed.' },
  ],
  options: {
    text: { kind: 'text', value: 'TEXT', help: 'Words.' },
    size: { kind: 'integer', value: 'N', help: 'Whole.' },
    share: { kind: 'number', value: 'N', help: 'Any.' },
    many: { kind: 'list', value: 'X', help: 'Several.' },
    loud: { kind: 'flag', help: 'Or not.' },
  },
  load: async () => async () => 0,
}

describe('arguments', () => {
  test('are read by the table', () => {
    const words = 'a --text b --size 3 --share 0.5 --many x --many y --loud'.split(' ')
    const args = readArgs(command, words)
    assert.deepEqual([args.positional(0), args.positional(1)], ['a', ''])
    assert.equal(args.text('text'), 'b')
    assert.deepEqual([args.number('size'), args.number('share')], [3, 0.5])
    assert.deepEqual(args.list('many'), ['x', 'y'])
    assert.deepEqual([args.flag('loud'), args.flag('json')], [true, false])
  })

  test('that are left out are absent, not empty', () => {
    const args = readArgs(command, ['a'])
    assert.deepEqual(
      [args.text('text'), args.number('size'), args.list('many')],
      [undefined, undefined, []],
    )
  })

  test('that do not fit are refused, with exit code 2', () => {
    for (const words of ['', 'a b c', 'a --nope', 'a --size 1.5', 'a --share x', 'a --text']) {
      const given = words.split(' ').filter((word) => word !== '')
      assert.throws(() => readArgs(command, given), { exitCode: exits.usage }, words)
    }
  })

  test('after -- are never options', () => {
    assert.equal(readArgs(command, ['--', '--text']).positional(0), '--text')
  })
})

describe('a command', () => {
  test('is found by one word or two, and a group alone lists', () => {
    const nameOf = (words: string) => {
      const found = findCommand(words.split(' '))
      return found.kind === 'command' ? [found.command.name, ...found.rest] : [found.kind]
    }
    assert.deepEqual(nameOf('doctor'), ['doctor'])
    assert.deepEqual(nameOf('models'), ['models list'])
    assert.deepEqual(nameOf('models --json'), ['models list', '--json'])
    assert.deepEqual(nameOf('workflow push x.json'), ['workflow push', 'x.json'])
    assert.deepEqual(nameOf('tasks'), ['tasks list'])
    assert.deepEqual(nameOf('tasks --json'), ['tasks list', '--json'])
    assert.deepEqual(nameOf('runs 7'), ['runs list', '7'])
    assert.deepEqual(nameOf('runs'), ['group'])
    assert.deepEqual(nameOf('tasks frobnicate'), ['group'])
    assert.deepEqual(nameOf('frobnicate'), ['unknown'])
  })

  test('has a name of its own and something to load', async () => {
    assert.equal(new Set(commands.map(({ name }) => name)).size, commands.length)
    for (const { load, name } of commands) assert.equal(typeof (await load()), 'function', name)
  })
})

describe('help', () => {
  test('lists every command, option and variable, in lines that fit a terminal', () => {
    const pages = [overview(plain), ...commands.map((one) => commandHelp(plain, one))]
    for (const line of pages.join('\n').split('\n')) assert.ok(line.length <= 90, line)
    for (const { name } of commands) assert.ok(pages[0]?.includes(`  ${name}`), name)
    for (const one of commands) {
      const page = commandHelp(plain, one)
      for (const option of Object.keys(optionsOf(one))) assert.ok(page.includes(`--${option}`))
    }
    assert.match(groupHelp(plain, 'tasks'), /tasks list.*\n.*tasks get TASK_ID/)
  })

  test('lists the exit codes of the command line', () => {
    const told = exitCodes.map(([code]) => Number(code))
    assert.deepEqual(told, Object.values(exits))
  })

  test('and docs/command-line.md know the same commands, variables and exit codes', () => {
    const page = readFileSync(new URL('../../../docs/command-line.md', import.meta.url), 'utf8')
    for (const { name } of commands) assert.ok(page.includes(`\`${name}`), name)
    for (const [code, meaning] of exitCodes) {
      assert.ok(page.includes(`| ${code} | ${meaning}`), `${code} ${meaning}`)
    }
    for (const [names] of environment) {
      for (const name of names.split(', ')) assert.ok(page.includes(`\`${name}\``), name)
    }
  })
})
