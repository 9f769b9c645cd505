import { createInterface } from 'node:readline/promises'
import { type Readable, Writable } from 'node:stream'
import { interrupted, usageFailure } from '../terminal/failure.ts'
import type { Printer } from '../terminal/printer.ts'

export type Stdin = Readable & { isTTY?: boolean }

type Asker = { stdin: Stdin; err: Printer }

/** Somebody is there to answer. */
export const isInteractive = ({ stdin, err }: Asker): boolean =>
  stdin.isTTY === true && err.isTerminal

/** One line from a person. Ctrl-C, or the end of input, ends the command. */
export const ask = (asker: Asker, question: string): Promise<string> =>
  askOnce(asker, question, 'shown')

/** Without showing what is typed. */
export const askHidden = (asker: Asker, question: string): Promise<string> =>
  askOnce(asker, question, 'hidden')

async function askOnce(
  { stdin, err }: Asker,
  question: string,
  echo: 'shown' | 'hidden',
): Promise<string> {
  let isEchoing = true
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (isEchoing) err.write(String(chunk))
      done()
    },
  })
  const lines = createInterface({ input: stdin, output, terminal: true, historySize: 0 })
  try {
    return await new Promise((resolve, reject) => {
      // Raw mode: Ctrl-C arrives as a key, not as a signal.
      lines.once('SIGINT', () => reject(interrupted()))
      lines.once('close', () => reject(interrupted()))
      lines.question(question).then(resolve, reject)
      isEchoing = echo === 'shown'
    })
  } catch (error) {
    err.line()
    throw error
  } finally {
    if (echo === 'hidden') err.line()
    lines.close()
  }
}

const maxBytes = 10 * 1024 * 1024

/** All of standard input, as text. */
export async function readAll(stdin: Stdin, what: string): Promise<string> {
  if (stdin.isTTY) {
    throw usageFailure(`${what} is expected on standard input, and nothing is piped into it.`)
  }
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > maxBytes) throw usageFailure(`${what} on standard input is larger than 10 MiB.`)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}
