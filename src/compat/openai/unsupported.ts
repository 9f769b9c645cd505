import { badParameter, type Fields, given } from '../parameters.ts'

type Harmless = (value: unknown) => boolean

/** For each parameter: which values only restate the default, and why others are refused. */
export type Unsupported = Record<string, [isDefault: Harmless, why: string]>

/** Only these values are harmless. */
export const onlyAllowed =
  (...values: unknown[]): Harmless =>
  (value) =>
    values.includes(value)

export function refuseUnsupported(body: Fields, unsupported: Unsupported) {
  for (const [name, [isDefault, why]] of Object.entries(unsupported)) {
    const value = given(body, name)
    if (value !== undefined && !isDefault(value)) {
      throw badParameter(name, why, 'UNSUPPORTED_PARAMETER')
    }
  }
}
