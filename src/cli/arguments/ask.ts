import { createInterface } from 'node:readline/promises'
import { type Readable, Writable } from 'node:stream'
import { interrupted, usageFailure } from '../terminal/failure.ts'
import type { Printer } from '../terminal/printer.ts'

export type Stdin = Readable & { isTTY?: boolean }

type Asker = { stdin: Stdin; err: Printer }

/** Whether a person can answer a question. */
export const isInteractive = ({ stdin, err }: Asker): boolean =>
  stdin.isTTY === true && err.isTerminal

/** Asks for one line. Ctrl-C or the end of input ends the command. */
export const ask = (asker: Asker, question: string): Promise<string> =>
  askOnce(asker, question, 'shown')

/** Asks for one line without echoing what is typed. */
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
      // The terminal is in raw mode, so Ctrl-C arrives as a key and not as a signal.
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

/** Reads all of standard input as text. */
export async function readAll(stdin: Stdin, what: string): Promise<string> {
  if (stdin.isTTY) {
    throw usageFailure(`${what} is expected on standard input, but nothing is piped into it.`)
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
