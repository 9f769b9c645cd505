// What image.generate and video.generate share: a prompt, perhaps a picture, and a task that is
// paid by the piece or by the second.
import { type PricedUnits, priceOf } from '#core/pricing.ts'
import { type Estimated, exactly, unknownValue } from './guess.ts'
import type { ModelLookup } from './models.ts'
import type { Media, NodeExecution } from './node-execution.ts'
import type { NodeInputs } from './node-type.ts'
import { readAs, toText } from './values.ts'

export const readMediaInputs = async (context: NodeExecution, { ports }: NodeInputs<unknown>) => ({
  image: await readPicture(context, ports.image),
  prompt: toText(ports.prompt),
})

/** Undefined, with nothing to wait for, where none is given. */
export const readPicture = (context: NodeExecution, given: unknown): Promise<Media> | undefined =>
  given === undefined || given === null
    ? undefined
    : (readAs(context, 'image', given) as Promise<Media>)

export function estimateMedia(
  models: ModelLookup,
  modelId: string,
  units: PricedUnits,
  outputs: readonly string[],
): Estimated {
  const micros = priceOf(models(modelId)?.pricing ?? null, units)
  return {
    model: modelId,
    calls: 1,
    units: { ...units },
    cost: micros === null ? null : exactly(micros),
    exact: micros !== null,
    assumptions: micros === null ? [unpriced(modelId)] : [],
    // A generated picture has no value yet; as text it is an address.
    outputs: Object.fromEntries(outputs.map((name) => [name, unknownMedia(name)])),
  }
}

export const unpriced = (modelId: string): string =>
  `The price of model "${modelId}" is not known: its cost is left out of the total.`

const unknownMedia = (port: string) =>
  port === 'images'
    ? { known: false as const, tokens: exactly(60), items: exactly(1) }
    : unknownValue(exactly(60))
