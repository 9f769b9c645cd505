import type { Cli } from '../command.ts'
import { usageFailure } from './failure.ts'

/** Prints one document on one line, so that programs can read it whole or line by line. */
export const printJson = ({ out }: Pick<Cli, 'out'>, value: unknown) =>
  out.line(JSON.stringify(value))

export function readWorkflowId(text: string): number {
  if (!/^[1-9][0-9]{0,14}$/.test(text)) {
    throw usageFailure(
      `"${text}" is not a workflow ID: use a whole number that "workflow list" shows.`,
    )
  }
  return Number(text)
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function readId(
  text: string,
  what: 'task' | 'run' | 'key' | 'delivery' | 'wait' | 'trigger',
): string {
  if (!uuid.test(text)) throw usageFailure(`"${text}" is not the identifier of a ${what}.`)
  return text.toLowerCase()
}
