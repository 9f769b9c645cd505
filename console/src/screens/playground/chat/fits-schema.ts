// Whether an answer fits the schema that was asked for. Pure.
import { type Schema, Validator } from '@cfworker/json-schema'

export type Fit =
  | { kind: 'not JSON'; problem: string }
  | { kind: 'fits'; value: unknown }
  | { kind: 'misfit'; value: unknown; problems: readonly string[] }

/** More would not help anybody to mend it. */
const maxProblems = 5

export function fitOf(text: string, schema: unknown): Fit {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { kind: 'not JSON', problem: error instanceof Error ? error.message : '' }
  }
  try {
    const { valid, errors } = new Validator(schema as Schema, '2020-12', false).validate(value)
    if (valid) return { kind: 'fits', value }
    // The errors of a part come after those of the whole, and say more.
    const problems = errors.map(
      ({ instanceLocation, error }) =>
        `${instanceLocation.replace(/^#/, '') || 'answer'}: ${error}`,
    )
    return { kind: 'misfit', value, problems: problems.slice(-maxProblems) }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { kind: 'misfit', value, problems: [`The schema cannot be used: ${why}`] }
  }
}
