// What image.generate and video.generate share: a prompt, an optional image, and a task that is
// priced per image or per second.

import { tokensPerPicture, withMostParts } from '#core/call-tokens.ts'
import { Failure } from '#core/errors.ts'
import { highestPrice, type PricedUnits, priceOf, type UnitPrices } from '#core/pricing.ts'
import { costOver, givenTokens, ordered, whoAnswers, withFraming } from './call-cost.ts'
import { estimateCall, pictureOf } from './estimate-reuse.ts'
import { addSpread, bytesPerToken, doubtful, exactly, unknownValue } from './guess.ts'
import type { ModelFacts } from './models.ts'
import type { NodeReuse } from './node-reuse.ts'
import type {
  Estimated,
  EstimateEnv,
  Guess,
  Media,
  NodeExecution,
  NodeInputs,
  Spread,
} from './node-type.ts'
import type { MediaCall, ReusableRequest } from './outside-calls.ts'
import { readAs } from './port-values.ts'
import { toText } from './values.ts'

export async function readMediaInputs(context: NodeExecution, { ports }: NodeInputs<unknown>) {
  const prompt = toText(ports.prompt)
  assertPrompt(prompt)
  return { prompt, image: await readPicture(context, ports.image) }
}

/** Checked before any call, because a provider would accept and bill an empty prompt. */
export function assertPrompt(prompt: string): void {
  if (prompt.trim() === '') throw new Failure('INVALID_REQUEST', { message: emptyPrompt })
}

const emptyPrompt = 'The prompt is empty.'

/** Undefined, not a promise, if there is no image: then there is nothing to wait for. */
export const readPicture = (context: NodeExecution, given: unknown): Promise<Media> | undefined =>
  given === undefined || given === null
    ? undefined
    : (readAs(context, 'image', given) as Promise<Media>)

/** `outputs`: what the node passes on of the media that an earlier call made. */
export const estimateMediaCall = (
  { env, reuse, ports }: { env: EstimateEnv; reuse: NodeReuse; ports: NodeInputs<Guess>['ports'] },
  { call, outputs }: { call: FixedCall; outputs(made: readonly unknown[]): object },
  estimate: () => Estimated,
): Promise<Estimated> =>
  estimateCall(
    env,
    reuse,
    { call: knownMediaCall(call, ports), outputs: (made) => outputs(made as unknown[]) },
    estimate,
  )

/** What the settings of a node say about its call. */
type FixedCall = Pick<MediaCall, 'kind' | 'model' | 'credential' | 'parameters'>

/** The call of a node whose inputs are all known; null otherwise. */
function knownMediaCall(
  call: FixedCall,
  ports: NodeInputs<Guess>['ports'],
): ReusableRequest | null {
  const [image, mask] = [pictureOf(ports.image), pictureOf(ports.mask)]
  if (!ports.prompt?.known || image === 'unknown' || mask === 'unknown') return null
  const pictures = { image: image as Media | undefined, mask: mask as Media | undefined }
  const prompt = toText(ports.prompt.value)
  return { kind: 'MEDIA', call: { ...call, prompt, ...pictures } }
}

type MediaGuesses = { units: PricedUnits; prompt?: Guess; image?: Guess; mask?: Guess }

export function estimateMedia(
  { models }: Pick<EstimateEnv, 'models'>,
  modelId: string,
  given: MediaGuesses & { outputs: readonly string[] },
): Estimated {
  const { units, prompt, outputs } = given
  const facts = models(modelId)
  const cost = costOver(facts, (model) => mediaCost(model?.pricing ?? null, given))
  const isExact = cost !== null && cost.low === cost.high
  const estimated: Estimated = {
    model: modelId,
    calls: 1,
    units: { ...units },
    cost,
    exact: isExact,
    assumptions: cost === null ? [unpriced(modelId)] : isExact ? [] : [whyNotExact(facts, modelId)],
    // The value is not known yet; as text it will be an address.
    outputs: Object.fromEntries(outputs.map((name) => [name, unknownMedia(name)])),
  }
  const isEmpty = prompt?.known && toText(prompt.value).trim() === ''
  const problems = [...(isEmpty ? [emptyPrompt] : []), ...maskProblems(given, facts)]
  return problems.length === 0
    ? estimated
    : doubtful(estimated, ...problems.map((problem) => `${problem} A run would fail here.`))
}

export const maskAlone = 'A mask needs a picture, whose part it marks.'

function maskProblems({ image, mask }: MediaGuesses, facts: ModelFacts | undefined): string[] {
  if (!isGiven(mask)) return []
  if (!isGiven(image)) return [maskAlone]
  return facts && !facts.capabilities.mask ? [`Model "${facts.id}" takes no mask.`] : []
}

const whyNotExact = (facts: ModelFacts | undefined, modelId: string): string =>
  (facts && whoAnswers(facts)) ?? byToken(modelId)

const byToken = (modelId: string): string =>
  `"${modelId}" is billed by the token, and how many a picture takes depends on its size and quality.`

/** Tokens of a picture: the least and the most that vendors count, and a square one at 1K. */
const madeTokens: Spread = { low: 100, expected: 1_500, high: tokensPerPicture.made }

/** A flat price is exact. Where tokens of pictures have a price, those are billed instead. */
function mediaCost(
  pricing: UnitPrices | null,
  { units, prompt, image, mask }: MediaGuesses,
): Spread | null {
  const flat = priceOf(pricing, units)
  const isByToken = flat === null || pricing?.outputImagePerMillionTokens !== undefined
  if (!isByToken || units.images === undefined) return flat === null ? null : exactly(flat)
  const added = { messages: 1, provider: undefined, most: tokensPerPicture.added }
  const words = withFraming(promptSpread(prompt), added)
  const input = [image, mask].filter(isGiven).reduce((sum) => addSpread(sum, givenTokens), words)
  const at = (count: keyof Spread) =>
    priceOf(pricing, {
      inputTokens: input[count],
      outputTokens: madeTokens[count],
      outputImageTokens: madeTokens[count],
    })
  const most = { inputTokens: input.high, outputTokens: madeTokens.high }
  const [low, expected] = [at('low'), at('expected')]
  const parts = withMostParts(most, { hasPictures: true })
  const high = highestPrice(pricing, { ...parts, outputImageTokens: most.outputTokens })
  return low === null || expected === null || high === null
    ? null
    : ordered({ low, expected: flat ?? expected, high })
}

const isGiven = (guess: Guess | undefined): boolean =>
  guess !== undefined && !(guess.known && guess.value === null)

const promptSpread = (prompt: Guess | undefined): Spread => {
  if (!prompt) return exactly(0)
  if (!prompt.known) return { ...prompt.tokens, low: 0, high: prompt.tokens.high * bytesPerToken }
  const bytes = Buffer.byteLength(toText(prompt.value))
  return { low: 0, expected: Math.ceil(bytes / 4), high: bytes }
}

export const unpriced = (modelId: string): string =>
  `The price of model "${modelId}" is not known: its cost is left out of the total, and a run with maxCost or under a spend limit is refused.`

/** Of a signed address. */
const addressTokens: Spread = { low: 10, expected: 60, high: 400 }

const unknownMedia = (port: string) =>
  port === 'images'
    ? { known: false as const, tokens: addressTokens, items: exactly(1) }
    : unknownValue(addressTokens)
