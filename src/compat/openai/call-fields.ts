// Fields that chat completions and Responses share, and what both make of a request.
import type { TextCall } from '#core/generation.ts'
import { isRecord } from '#core/record.ts'
import { type JsonSchema, reasoningEfforts } from '#core/text-stream.ts'
import {
  between,
  carried,
  FieldProblem,
  flag,
  ignored,
  number,
  oneOf,
  type Read,
  type Row,
  readFields,
  record,
  required,
  rowsOf,
  someText,
  text,
} from '../field-table.ts'
import type { Choice } from './tools.ts'

export type Call = Omit<TextCall, 'principal'>

/** What the fields of a request say. */
export type Asked = {
  call: Partial<Call>
  choice?: Choice
  parallelToolCalls?: boolean
  isStream?: boolean
  topLogprobs?: number
}

/** A row of the call itself. A value that only restates the default is undefined, and left out. */
export const callRow = <Key extends keyof Call, Into extends Asked = Asked>(
  key: Key,
  to: string,
  read: Read<Call[Key] | undefined>,
): Row<Into> =>
  carried(to, read, ({ call }: Into, value) => {
    if (value !== undefined) call[key] = value
  })

const maxTopLogprobs = 20

export const topLogprobs: Read<number> = (value) => {
  if (Number.isInteger(value)) return between(0, maxTopLogprobs)(value)
  throw new FieldProblem(`must be from 0 to ${maxTopLogprobs}`)
}

const unless =
  <Value>(usual: Value, read: Read<Value>): Read<Value | undefined> =>
  (value) => {
    const given = read(value)
    return given === usual ? undefined : given
  }

export const penalty = unless(0, between(-2, 2))
export const verbosity = unless('medium', oneOf('low', 'medium', 'high'))
export const effort = oneOf(...reasoningEfforts)

export const sharedFields = {
  model: callRow('modelId', 'the model, by its id here', someText),
  temperature: callRow('temperature', 'the temperature, for models that have one', number),
  // 1 is what every model does anyway, and some models refuse the parameter itself.
  top_p: callRow('topP', 'top-p, for models that have it', unless(1, between(0, 1))),
  stream: rowsOf<Asked>()('isStream', 'whether the answer is streamed', flag),
  parallel_tool_calls: rowsOf<Asked>()(
    'parallelToolCalls',
    'whether an answer may have several calls',
    flag,
  ),
  user: ignored('it names your user to the vendor, and is not passed on'),
  safety_identifier: ignored('it names your user to the vendor, and is not passed on'),
  service_tier: ignored('calls are made in the standard tier of the vendor'),
  prompt_cache_key: ignored('vendors that cache by themselves find the prompt without it'),
  prompt_cache_options: ignored('vendors that cache by themselves do so as usual'),
  prompt_cache_retention: ignored('vendors keep prompts as long as they usually do'),
}

const schemaRow = rowsOf<Partial<JsonSchema>>()

export const schemaFields = {
  name: schemaRow('name', 'its name', someText),
  description: schemaRow('description', 'its description', text),
  schema: schemaRow('schema', 'the schema', (value) => {
    if (isRecord(value)) return value
    throw new FieldProblem('must be a JSON Schema object')
  }),
  strict: schemaRow('strict', 'strict, for vendors that enforce schemas', flag),
}

export function schemaOf(read: Partial<JsonSchema>): JsonSchema {
  const { name, schema, ...rest } = read
  return { name: required(name, 'name'), schema: required(schema, 'schema'), ...rest }
}

export const readSchema: Read<JsonSchema> = (value) =>
  schemaOf(readFields<Partial<JsonSchema>>(schemaFields, record(value), {}))
