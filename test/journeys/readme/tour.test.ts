import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type Answer, startServer, type TestServer } from '../../support/server.ts'

type Command = { method: string; url: string; headers: Record<string, string>; body?: string }
type Block = { isShown: boolean; text: string }

/** The commands and documented answers between the heading and the next one. */
function blocksOf(readme: string): Block[] {
  const tour = /^## Five minutes\n(.*?)^## /ms.exec(readme)?.[1] ?? ''
  return [...tour.matchAll(/^```(json)?\n(.*?)^```$/gms)].map(([, json, text = '']) => ({
    isShown: json !== undefined,
    text,
  }))
}

/** Splits a line into words like a shell: quotes, escaped line ends, variables. */
function words(line: string, variables: Record<string, string>): string[] {
  const filled = (text: string) =>
    text.replace(/\$(\w+)/g, (_, name: string) => variables[name] ?? '')
  return [...line.matchAll(/(?:'([^']*)'|"([^"]*)"|\\\n|([^\s'"\\]+))/g)]
    .filter(([whole]) => whole !== '\\\n')
    .map(([, single, double, plain]) => single ?? filled(double ?? plain ?? ''))
}

function commandsOf(text: string, variables: Record<string, string>): Command[] {
  const commands: Command[] = []
  for (const part of text.split(/^(?=curl )/m).filter((line) => line.startsWith('curl '))) {
    const [, ...rest] = words(part.trim(), variables)
    const command: Command = { method: '', url: '', headers: {} }
    for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
      if (word === '-s') continue
      if (word === '-X') command.method = rest.shift() ?? ''
      else if (word === '-d') command.body = rest.shift() ?? ''
      else if (word === '-H') {
        const [name = '', value = ''] = (rest.shift() ?? '').split(': ')
        command.headers[name] = value
      } else command.url = word
    }
    command.method ||= command.body === undefined ? 'GET' : 'POST'
    commands.push(command)
  }
  return commands
}

/** Replaces everything that differs from one execution to the next. */
const alike = (text: string) =>
  text
    .replace(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, 'ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/exp=\d+&sig=[\w-]+/g, 'SIGNED')
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'HERE')

/** The tour reads a task and a run once they have ended. */
async function ask(server: TestServer, command: Command): Promise<Answer> {
  const path = command.url.replace(server.url, '')
  const { method, headers, body } = command
  for (;;) {
    const answer = await server.call({ method, path, headers, key: null, body })
    if (method !== 'GET' || answer.body.data.completedAt !== null) return answer
    await setTimeout(100)
  }
}

describe('the five minutes of the README', () => {
  test('go as they are shown', async () => {
    const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8')
    await using server = await startServer()
    const variables = {
      ATELIER_API_KEY: server.ownerKey,
      API: `${server.url}/api/ai-tools/v1`,
    }
    let answers: Answer[] = []
    let shown = 0
    let lastId = ''
    for (const { isShown, text } of blocksOf(readme)) {
      if (isShown) {
        shown++
        const seen = answers.map((answer) => alike(answer.text))
        assert.ok(
          seen.includes(alike(text.trim())),
          `the README shows\n${alike(text)}\nbut the server answers\n${seen.join('\n')}`,
        )
        continue
      }
      answers = []
      for (const command of commandsOf(text, variables)) {
        command.url = command.url.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|<runId>/, lastId)
        const answer = await ask(server, command)
        assert.equal(answer.status < 300, true, `${command.method} ${command.url}: ${answer.text}`)
        lastId = answer.body.data.runId ?? answer.body.data.taskId ?? lastId
        answers.push(answer)
      }
    }
    assert.ok(shown >= 5, `only ${shown} answers are shown`)
  })
})
