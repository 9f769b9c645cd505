import { readAll } from '../arguments/ask.ts'
import type { Cli } from '../command.ts'
import { usageFailure } from './failure.ts'

/** Joins the words. Standard input replaces a lone `-`, or is the prompt if there are no words. */
export async function readPrompt({ stdin }: Pick<Cli, 'stdin'>, words: readonly string[]) {
  const piped = words.length === 0 || words.includes('-') ? await readAll(stdin, 'The prompt') : ''
  const text =
    words.length === 0
      ? piped
      : words.map((word) => (word === '-' ? `\n${piped}\n` : word)).join(' ')
  const prompt = text.trim()
  if (prompt === '') throw usageFailure('The prompt is empty.')
  return prompt
}
