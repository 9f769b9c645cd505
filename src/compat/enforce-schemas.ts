// Answers that match a JSON schema, from every model. A model whose vendor enforces schemas is
// called directly. Any other gets the schema as an instruction; its answer is checked, and a wrong
// one is sent back to it once, with the problem. Never passes on an answer that failed the check.

import type { Services } from '#api/public/context.ts'
import type { Catalogue } from '#core/catalogue.ts'
import { isDeeperThan, maxDepth } from '#core/depth.ts'
import type {
  CallMessage,
  GeneratedText,
  GenerateText,
  StreamText,
  TextCall,
} from '#core/generation.ts'
import { withRoutes } from '#core/routed-catalogue.ts'
import type { JsonSchema } from '#core/text-stream.ts'
import { addUsage } from '#core/usage.ts'
import { problemFailure } from './field-table.ts'

export type CheckSchemas = Services['graphs']['checkSchemas']

type Deps = {
  catalogue: Catalogue
  generateText: GenerateText
  streamText: StreamText
  checkSchemas: CheckSchemas
}

type Texts = Pick<Deps, 'generateText' | 'streamText'>

export function enforceSchemas(deps: Deps): Texts {
  const isGuided = ({ modelId, jsonSchema, principal }: TextCall) =>
    jsonSchema !== undefined &&
    withRoutes(deps.catalogue, principal.routes).find(modelId)?.model.capabilities
      .structuredOutput !== true
  return {
    generateText: (call, options) =>
      isGuided(call) ? guided(deps, call, options) : deps.generateText(call, options),
    streamText: (call, options) =>
      isGuided(call) ? guidedStream(deps, call, options) : deps.streamText(call, options),
  }
}

type Options = Parameters<GenerateText>[1]

/** A checked answer arrives in one piece, because pieces already sent could not be taken back. */
const guidedStream: (...given: [Deps, TextCall, Options]) => ReturnType<StreamText> =
  async function* (deps, call, options) {
    const answer = await guided(deps, call, options)
    const { text, thoughts = [], toolCalls = [], logprobs, ...rest } = answer
    yield { type: 'begin', ...rest, inputTokens: rest.usage.inputTokens }
    for (const thought of thoughts) yield { type: 'thought', ...thought }
    if (text !== '') yield { type: 'text', text, ...(logprobs ? { logprobs } : {}) }
    for (const [index, { arguments: written, ...asked }] of toolCalls.entries()) {
      yield { type: 'tool_call', index, ...asked }
      yield { type: 'tool_arguments', index, text: written }
    }
    yield { type: 'end', ...rest }
  }

async function guided(deps: Deps, call: TextCall, options: Options): Promise<GeneratedText> {
  const { jsonSchema, ...rest } = call
  if (!jsonSchema) return deps.generateText(call, options)
  if (call.choices !== undefined) {
    const why = 'must be 1 with a JSON schema that this model does not enforce itself'
    throw problemFailure('n', why, 'UNSUPPORTED_PARAMETER')
  }
  const problemOf = await openCheck(deps, call.principal.accountId, jsonSchema)
  const hint: CallMessage = { role: 'system', content: instructionFor(jsonSchema) }
  const asked: TextCall = { ...rest, responseFormat: 'json', messages: [hint, ...call.messages] }
  const first = await deps.generateText(asked, options)
  const problem = await problemOf(first)
  if (problem === null) return plain(first)
  const again: CallMessage[] = [
    { role: 'assistant', content: first.text || '(nothing)' },
    { role: 'user', content: `${problem} Answer again with the corrected JSON value alone.` },
  ]
  const second = await deps.generateText(
    { ...asked, messages: [...asked.messages, ...again] },
    options,
  )
  const left = await problemOf(second)
  if (left === null) return plain(together(first, second))
  throw problemFailure(
    'response_format',
    `was not met by this model in two calls, both of which are billed: ${left} Choose a model with the capability structuredOutput, or a simpler schema`,
    'UNSUPPORTED_PARAMETER',
  )
}

const instructionFor = ({ name, description, schema }: JsonSchema): string =>
  [
    `Answer with one JSON value named "${name}" and nothing else: no words around it.`,
    ...(description ? [description] : []),
    `It must be valid against this JSON Schema: ${JSON.stringify(schema)}`,
  ].join('\n')

/** Refuses an unusable schema before anything is paid for. */
async function openCheck(
  { checkSchemas }: Deps,
  owner: string,
  { schema }: JsonSchema,
): Promise<(answer: GeneratedText) => Promise<string | null>> {
  const [itself] = await checkSchemas(owner, [{ schema }])
  if (itself && 'schema' in itself) {
    const at = 'response_format.json_schema.schema'
    throw problemFailure(at, `is not a usable JSON Schema: ${itself.schema}`)
  }
  return async ({ text, toolCalls, finish }) => {
    // Function calls are not an answer yet, and an answer that was cut off is reported as such.
    if (toolCalls?.length || finish !== 'stop') return null
    const value = jsonIn(text)
    if (value === undefined) return 'The answer is not one JSON value.'
    const [checked] = await checkSchemas(owner, [{ schema, value }])
    if (!checked || 'schema' in checked) return 'The answer could not be checked.'
    const [issue] = checked.issues
    return issue ? `The answer does not match the schema: ${issue.path} ${issue.message}.` : null
  }
}

/** Models like to wrap JSON in a code fence. */
function withoutFence(text: string): string {
  const trimmed = text.trim()
  const firstLine = trimmed.indexOf('\n')
  if (!trimmed.startsWith('```') || !trimmed.endsWith('```') || firstLine < 0) return text
  return trimmed.slice(firstLine + 1, -3).trim()
}

function jsonIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(withoutFence(text))
    return isDeeperThan(value, maxDepth) ? undefined : value
  } catch {
    return undefined
  }
}

const plain = (answer: GeneratedText): GeneratedText => ({
  ...answer,
  text: withoutFence(answer.text),
})

/** The second answer, with what both of them cost. */
const together = (first: GeneratedText, second: GeneratedText): GeneratedText => ({
  ...second,
  usage: addUsage(first.usage, second.usage),
  costMicros:
    first.costMicros === null || second.costMicros === null
      ? null
      : first.costMicros + second.costMicros,
})
