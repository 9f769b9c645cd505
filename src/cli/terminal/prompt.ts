import { readAll } from '../arguments/ask.ts'
import type { Cli } from '../command.ts'
import { usageFailure } from './failure.ts'

/** The words given; standard input stands for a lone `-`, or for all where there are none. */
export async function readPrompt({ stdin }: Pick<Cli, 'stdin'>, words: readonly string[]) {
  const piped = words.length === 0 || words.includes('-') ? await readAll(stdin, 'The prompt') : ''
  const text =
    words.length === 0
      ? piped
      : words.map((part) => (part === '-' ? `\n${piped}\n` : part)).join(' ')
  const prompt = text.trim()
  if (prompt === '') throw usageFailure('The prompt is empty.')
  return prompt
}
