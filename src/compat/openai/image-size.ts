// OpenAI's clients give sizes in pixels; our models take an aspect ratio and a size such as 2K.

import type { Capabilities } from '#core/catalogue.ts'
import { pixelsOf } from '#core/image-size.ts'
import { problemFailure } from '../field-table.ts'

type Form = { aspectRatio?: string; sampleSize?: string }

/** Empty if the choice is left to the model. A size that it does not make is refused. */
export function readSize(size: string | undefined, capabilities: Capabilities): Form {
  if (size === undefined || size === 'auto') return {}
  if (!/^[1-9]\d{1,4}x[1-9]\d{1,4}$/.test(size)) {
    throw problemFailure('size', 'must be "auto" or a size such as 1024x1024')
  }
  const { imageAspectRatios: ratios, imageSampleSizes: sizes } = capabilities
  // A model that declares nothing gets the size as given.
  if (!ratios && !sizes) return { sampleSize: size }
  const known = sizesOf(ratios ?? ['1:1'], sizes)
  const form = known.get(size)
  if (form) return form
  const may = `must be "auto" or one of ${[...known.keys()].join(', ')} for this model`
  throw problemFailure('size', may, 'UNSUPPORTED_PARAMETER')
}

/** 1K is what models make by default, so it needs no parameter. */
function sizesOf(ratios: readonly string[], sizes: readonly string[] = []): Map<string, Form> {
  const known = new Map<string, Form>()
  for (const sampleSize of sizes.includes('1K') ? sizes : ['1K', ...sizes]) {
    const named = sizes.includes(sampleSize) ? { sampleSize } : {}
    for (const aspectRatio of ratios) {
      const pixels = pixelsOf(aspectRatio, sampleSize)
      if (pixels !== undefined && !known.has(pixels)) known.set(pixels, { aspectRatio, ...named })
    }
  }
  return known
}
