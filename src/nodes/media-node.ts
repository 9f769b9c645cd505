// What image.generate and video.generate share: a prompt, an optional image, and a task that is
// priced per image or per second.

import { Failure } from '#core/errors.ts'
import { type PricedUnits, priceOf } from '#core/pricing.ts'
import { doubtful, exactly, unknownValue } from './estimates/guess.ts'
import { readAs, toText } from './execution/values.ts'
import type {
  Estimated,
  EstimateEnv,
  Guess,
  Media,
  NodeExecution,
  NodeInputs,
} from './node-type.ts'

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

export function estimateMedia(
  { models }: Pick<EstimateEnv, 'models'>,
  modelId: string,
  { units, prompt, outputs }: { units: PricedUnits; prompt?: Guess; outputs: readonly string[] },
): Estimated {
  const micros = priceOf(models(modelId)?.pricing ?? null, units)
  const estimated: Estimated = {
    model: modelId,
    calls: 1,
    units: { ...units },
    cost: micros === null ? null : exactly(micros),
    exact: micros !== null,
    assumptions: micros === null ? [unpriced(modelId)] : [],
    // The value is not known yet; as text it will be an address.
    outputs: Object.fromEntries(outputs.map((name) => [name, unknownMedia(name)])),
  }
  const isEmpty = prompt?.known && toText(prompt.value).trim() === ''
  return isEmpty ? doubtful(estimated, `${emptyPrompt} A run would fail here.`) : estimated
}

export const unpriced = (modelId: string): string =>
  `The price of model "${modelId}" is not known: its cost is left out of the total, and a run with maxCost or under a spend limit is refused.`

const unknownMedia = (port: string) =>
  port === 'images'
    ? { known: false as const, tokens: exactly(60), items: exactly(1) }
    : unknownValue(exactly(60))
