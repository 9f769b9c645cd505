import { badParameter, type Fields, given } from './parameter.ts'

type Harmless = (value: unknown) => boolean

const is =
  (...values: unknown[]): Harmless =>
  (value) =>
    values.includes(value)
const never: Harmless = () => false
const isEmpty: Harmless = (value) => Object.keys(Object(value)).length === 0

/**
 * What would change the answer and cannot be honoured, with the values that mean "as usual".
 * Every other field that is not known here is ignored: clients send many that change nothing.
 */
const unsupported: Record<string, [isUsual: Harmless, why: string]> = {
  n: [is(1), 'must be 1: one answer is made per request'],
  logprobs: [is(false), 'is not supported'],
  top_logprobs: [is(0), 'is not supported'],
  logit_bias: [isEmpty, 'is not supported'],
  frequency_penalty: [is(0), 'is not supported'],
  presence_penalty: [is(0), 'is not supported'],
  audio: [never, 'is not supported: answers are text'],
  modalities: [
    (value) => Array.isArray(value) && value.every((one) => one === 'text'),
    'may only be ["text"]',
  ],
  functions: [never, 'is not supported; use tools'],
  function_call: [never, 'is not supported; use tool_choice'],
  verbosity: [is('medium'), 'is not supported'],
  web_search_options: [never, 'is not supported'],
}

export function refuseUnsupported(body: Fields) {
  for (const [name, [isUsual, why]] of Object.entries(unsupported)) {
    const value = given(body, name)
    if (value !== undefined && !isUsual(value)) {
      throw badParameter(name, why, 'UNSUPPORTED_PARAMETER')
    }
  }
}
