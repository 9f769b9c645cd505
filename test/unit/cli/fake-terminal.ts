// A terminal for tests: what is written to it becomes lines on a screen, as a person would see
// them. Knows the control sequences the command line and Node's line editor use.
import { PassThrough } from 'node:stream'
import type { Stdin } from '../../../src/cli/arguments/ask.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal is steered by them
const token = /\x1b\[([0-9;]*)([A-Za-z])|([\r\n])|([^\x1b\r\n]+)|\x1b/g

export function fakeTerminal({ columns = 80, rows = 24 } = {}) {
  const lines: string[] = ['']
  let [row, column] = [0, 0]
  let written = ''

  function put(text: string) {
    const line = (lines[row] ?? '').padEnd(column)
    lines[row] = line.slice(0, column) + text + line.slice(column + text.length)
    column += text.length
  }
  function steer(name: string, amount: number | undefined) {
    if (name === 'A') row = Math.max(0, row - (amount ?? 1))
    if (name === 'B') row += amount ?? 1
    if (name === 'C') column += amount ?? 1
    if (name === 'D') column = Math.max(0, column - (amount ?? 1))
    if (name === 'G') column = (amount ?? 1) - 1
    if (name === 'J') {
      lines.length = row + 1
      lines[row] = (lines[row] ?? '').slice(0, column)
    }
    if (name === 'K') lines[row] = (lines[row] ?? '').slice(0, column)
  }
  const stream = {
    isTTY: true,
    columns,
    rows,
    write(text: string) {
      written += text
      for (const [, amount, name, ending, plain] of text.matchAll(token)) {
        if (name !== undefined) steer(name, amount === '' ? undefined : Number(amount))
        else if (ending === '\r') column = 0
        else if (ending === '\n') {
          row += 1
          column = 0
          lines[row] ??= ''
        } else if (plain !== undefined) put(plain)
      }
    },
  }
  return {
    stream,
    screen: () => lines.join('\n').trimEnd(),
    written: () => written,
  }
}

/** A keyboard: Ctrl-C is a key here, as it is while a question is open. */
export function fakeKeyboard(): { stdin: Stdin; type(text: string): void } {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin })
  return { stdin, type: (text) => void stdin.write(text) }
}

/** Waits for a state, never for a time. */
export async function until(satisfied: () => boolean, what: () => string, limitMs = 30_000) {
  const deadline = Date.now() + limitMs
  while (!satisfied()) {
    if (Date.now() > deadline) throw new Error(`it did not happen; last seen:\n${what()}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
