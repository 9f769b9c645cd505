// OpenAI's clients give sizes in pixels; our models take an aspect ratio and a size such as 2K.
import { badParameter } from '#core/parameters.ts'
import type { Capabilities } from '#providers/catalogue.ts'

type Form = { aspectRatio?: string; sampleSize?: string }

/** 1792x1024 counts as 16:9. */
const ratioTolerance = 0.03
/** For each name, the length of the longer side up to which it applies. */
const sampleSizes: readonly [name: string, upTo: number][] = [
  ['512', 768],
  ['1K', 1792],
  ['2K', 2560],
  ['4K', 4096],
]

/** Empty if the choice is left to the model. */
export function readSize(size: string | undefined, capabilities: Capabilities): Form {
  if (size === undefined || size === 'auto') return {}
  const [, width, height] = /^([1-9]\d{1,4})x([1-9]\d{1,4})$/.exec(size) ?? []
  if (width === undefined || height === undefined) {
    throw badParameter('size', 'must be "auto" or a size such as 1024x1024')
  }
  const { imageAspectRatios: ratios, imageSampleSizes: sizes } = capabilities
  // A model that declares nothing gets the size as given.
  if (!ratios && !sizes) return { sampleSize: size }
  return {
    ...ratioOf(Number(width) / Number(height), ratios),
    ...sampleSizeOf(Math.max(Number(width), Number(height)), sizes),
  }
}

function ratioOf(wanted: number, known: readonly string[] = []): Form {
  const far = (ratio: string) => Math.abs(Math.log(widthPerHeight(ratio) / wanted))
  const [nearest] = known.toSorted((a, b) => far(a) - far(b))
  if (nearest !== undefined && far(nearest) <= ratioTolerance) return { aspectRatio: nearest }
  const may = known.length > 0 ? `have an aspect ratio of ${known.join(', ')}` : 'be "auto"'
  throw badParameter('size', `must ${may} for this model`, 'UNSUPPORTED_PARAMETER')
}

function widthPerHeight(ratio: string): number {
  const [width = Number.NaN, height = Number.NaN] = ratio.split(':').map(Number)
  return width / height
}

/** 1K is what models make by default, so it needs no parameter. */
function sampleSizeOf(longSide: number, known: readonly string[] = []): Form {
  const name = sampleSizes.find(([, upTo]) => longSide <= upTo)?.[0]
  if (name !== undefined && known.includes(name)) return { sampleSize: name }
  if (name === '1K') return {}
  const may = known.length > 0 ? known.join(' or ') : '1K'
  throw badParameter('size', `must correspond to ${may} for this model`, 'UNSUPPORTED_PARAMETER')
}
