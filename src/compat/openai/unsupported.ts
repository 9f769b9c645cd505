import { badParameter, type Fields, given } from '../parameters.ts'

type Harmless = (value: unknown) => boolean

/** For each parameter: which values only restate the default, and why others are refused. */
export type Unsupported = Record<string, [isDefault: Harmless, why: string]>

/** Only these values are harmless. */
export const onlyAllowed =
  (...values: unknown[]): Harmless =>
  (value) =>
    values.includes(value)

/**
 * Parameters of chat completions that would change the answer but cannot be honoured. Other unknown
 * fields are ignored, because clients send many that change nothing.
 */
export const unsupportedInChat: Unsupported = {
  audio: [onlyAllowed(), 'is not supported: answers are text'],
  modalities: [
    (value) => Array.isArray(value) && value.every((one) => one === 'text'),
    'may only be ["text"]',
  ],
  functions: [onlyAllowed(), 'is not supported; use tools'],
  function_call: [onlyAllowed(), 'is not supported; use tool_choice'],
  web_search_options: [onlyAllowed(), 'is not supported'],
}

export function refuseUnsupported(body: Fields, unsupported: Unsupported) {
  for (const [name, [isDefault, why]] of Object.entries(unsupported)) {
    const value = given(body, name)
    if (value !== undefined && !isDefault(value)) {
      throw badParameter(name, why, 'UNSUPPORTED_PARAMETER')
    }
  }
}
