import { cappedOutput } from '#core/call-tokens.ts'
import { isRecord } from '#core/record.ts'
import { Type } from '#core/schema.ts'
import {
  type CallTokens,
  costOver,
  givenTokens,
  mostFramingOf,
  textCallCost,
  whoAnswers,
  withFraming,
} from '../node/call-cost.ts'
import { estimateCall, pictureOf } from '../node/estimate-reuse.ts'
import { addSpread, bytesPerToken, exactly, unknownValue } from '../node/guess.ts'
import { parseAnswer } from '../node/json-answer.ts'
import { assertPrompt, readPicture, unpriced } from '../node/media-node.ts'
import {
  checkModel,
  ModelCredential,
  ModelId,
  modelCredential,
  modelOf,
} from '../node/model-config.ts'
import type { Candidate } from '../node/models.ts'
import { type NodeReuse, ReuseSetting } from '../node/node-reuse.ts'
import {
  type Answer,
  defineNode,
  type Estimated,
  type EstimateEnv,
  fixedPorts,
  type Guess,
  type Media,
  type NodeInputs,
  type Spread,
} from '../node/node-type.ts'
import type { ReusableRequest } from '../node/outside-calls.ts'
import { toText } from '../node/values.ts'

const modelKinds = ['TEXT', 'CODE'] as const

type Config = {
  model: string
  temperature?: number
  maxTokens?: number
  responseFormat?: 'text' | 'json'
  credential?: string
  reuse?: NodeReuse
}

const inputs = { prompt: 'text!', system: 'text', image: 'image' } as const
const textPorts = fixedPorts(inputs, { text: 'text' })
const jsonPorts = fixedPorts(inputs, { text: 'text', json: 'json' })

const minHistoryCalls = 20
const assumedOutputTokens = 1024

export const textGenerate = defineNode<Config>({
  type: 'text.generate',
  canvas: {
    label: 'Generate text',
    group: 'generate',
    icon: 'sparkles',
    help: 'Asks a language model. Connect the prompt; add instructions (system, the system prompt), or a picture to look at.',
  },
  config: Type.Object({
    model: ModelId,
    temperature: Type.Optional(
      Type.Number({
        minimum: 0,
        description: 'Higher is more varied; the limit depends on the model.',
      }),
    ),
    maxTokens: Type.Optional(
      Type.Integer({
        minimum: 1,
        title: 'Longest answer',
        description: 'The longest answer, in tokens.',
      }),
    ),
    responseFormat: Type.Optional(
      Type.Unsafe<'text' | 'json'>({
        type: 'string',
        enum: ['text', 'json'],
        default: 'text',
        description: 'json: the answer is parsed and also available at the port json.',
      }),
    ),
    credential: ModelCredential,
    reuse: ReuseSetting,
  }),
  pure: false,
  portsDependOn: ['responseFormat'],
  modelKinds,
  ports: ({ responseFormat }) => (responseFormat === 'json' ? jsonPorts : textPorts),
  model: modelOf,
  credential: modelCredential,
  check: (config, env) => checkModel(config, modelKinds, env),
  estimate: ({ config, inputs: { ports }, env }) =>
    estimateCall(
      env,
      config.reuse,
      { call: knownCall(config, ports), outputs: (answer) => outputsOf(config, answer) },
      () => estimateText(config, ports, env),
    ),
  async execute(context, { ports }, config) {
    const prompt = toText(ports.prompt)
    const picture = readPicture(context, ports.image)
    // An image without a prompt is a meaningful request.
    if (!picture) assertPrompt(prompt)
    const image = picture && (await picture)
    const system = toText(ports.system)
    const answer = await context.generateText(callOf(config, { prompt, system, image }))
    const { text } = answer
    return config.responseFormat === 'json' ? { text, json: parseAnswer(answer) } : { text }
  },
})

const callOf = (
  { model, temperature, maxTokens, responseFormat = 'text', credential }: Config,
  { prompt, system, image }: { prompt: string; system: string; image?: Media | undefined },
) => ({
  ...{ model, prompt, system: system || undefined, image },
  ...{ temperature, maxTokens, responseFormat, credential },
})

/** Null if a part of it is known only at run time. */
function knownCall(
  config: Config,
  { prompt, system, image }: NodeInputs<Guess>['ports'],
): ReusableRequest | null {
  const picture = pictureOf(image)
  if (!prompt?.known || (system && !system.known) || picture === 'unknown') return null
  const words = { prompt: toText(prompt.value), system: system ? toText(system.value) : '' }
  return { kind: 'TEXT', call: callOf(config, { ...words, image: picture as Media | undefined }) }
}

/** Of an answer as it is stored: its text, or the answer itself if it was cut off. */
function outputsOf({ responseFormat }: Config, stored: unknown) {
  const answer: Answer = isRecord(stored)
    ? (stored as Answer)
    : { text: String(stored), finish: 'stop' }
  const { text } = answer
  return responseFormat === 'json' ? { text, json: parseAnswer(answer) } : { text }
}

async function estimateText(
  config: Config,
  ports: NodeInputs<Guess>['ports'],
  env: EstimateEnv,
): Promise<Estimated> {
  const assumptions = new Set<string>()
  const system = await tokensOf(ports.system, env, assumptions)
  let text = addSpread(await tokensOf(ports.prompt, env, assumptions), system)
  const hasPictures = Boolean(ports.image && !(ports.image.known && ports.image.value === null))
  if (hasPictures) {
    text = addSpread(text, givenTokens)
    assumptions.add(
      `A picture counts as ${givenTokens.expected} tokens, up to ${givenTokens.high} in highCost.`,
    )
  }
  const { provider } = env.models(config.model) ?? {}
  const most = mostFramingOf(config.responseFormat)
  const input = withFraming(text, { messages: system.high > 0 ? 2 : 1, provider, most })
  const output = await outputTokens(config, env, assumptions)
  return price(config, { input, output, hasPictures }, env, assumptions)
}

async function tokensOf(
  guess: Guess | undefined,
  env: EstimateEnv,
  assumptions: Set<string>,
): Promise<Spread> {
  if (guess === undefined) return exactly(0)
  if (guess.known) {
    const text = toText(guess.value)
    const tokens = await env.countTokens(text)
    return { low: tokens, expected: tokens, high: Math.max(tokens, Buffer.byteLength(text)) }
  }
  assumptions.add(
    `The part of the prompt that is known only at run time is counted as ${guess.tokens.expected} tokens.`,
  )
  return { ...guess.tokens, high: guess.tokens.high * bytesPerToken }
}

async function outputTokens(
  { model, maxTokens }: Config,
  env: EstimateEnv,
  assumptions: Set<string>,
): Promise<Spread> {
  const { maxOutputTokens } = env.models(model)?.capabilities ?? {}
  const most = maxTokens ?? maxOutputTokens
  const high = maxTokens ?? cappedOutput(maxOutputTokens)
  const bound = (count: number) => Math.max(1, Math.min(most ?? count, Math.round(count)))
  const history = await env.outputHistory(model)
  if (history && history.calls >= minHistoryCalls) {
    const mean = history.meanOutputTokens
    assumptions.add(
      `Output length comes from this account's ${history.calls} calls of "${model}": ${Math.round(mean)} tokens on average.`,
    )
    // The history says nothing about the next answer, which may be as short or long as any.
    return { low: 1, expected: bound(mean), high: Math.max(high, bound(mean)) }
  }
  const expected = maxTokens ?? bound(assumedOutputTokens)
  assumptions.add(
    maxTokens === undefined
      ? `The answer counts as ${expected} tokens, up to ${high} in highCost: set maxTokens to bound it.`
      : `The answer counts as maxTokens, ${maxTokens} tokens.`,
  )
  return { low: 1, expected, high }
}

/** An answer is bounded by the model that gives it. */
const answeredBy = (
  { capabilities: { maxOutputTokens } }: Candidate,
  { input, output, hasPictures }: CallTokens,
  maxTokens: number | undefined,
): CallTokens => {
  const high = Math.max(output.high, maxTokens ?? cappedOutput(maxOutputTokens))
  return { input, output: { ...output, high }, hasPictures }
}

function price(
  { model, responseFormat, maxTokens }: Config,
  used: CallTokens,
  env: EstimateEnv,
  assumptions: Set<string>,
): Estimated {
  const facts = env.models(model)
  const { input, output } = used
  const cost = costOver(facts, (one) =>
    textCallCost(one?.pricing ?? null, one ? answeredBy(one, used, maxTokens) : used),
  )
  const several = facts && whoAnswers(facts)
  if (several) assumptions.add(several)
  if (cost === null) assumptions.add(unpriced(model))
  if (facts?.provider !== 'openai') {
    assumptions.add(`Tokens of "${model}" are estimated with another vendor's tokenizer (o200k).`)
  }
  const answer = unknownValue({ high: output.high })
  return {
    model,
    calls: 1,
    units: { inputTokens: input.expected, outputTokens: output.expected },
    cost,
    exact: false,
    assumptions: [...assumptions],
    outputs: responseFormat === 'json' ? { text: answer, json: answer } : { text: answer },
  }
}
