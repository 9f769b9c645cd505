// Vectors without a trained model: the words of a text and three-letter pieces of them, hashed into
// a fixed number of dimensions. Texts that share words, or forms of a word, lie close together;
// synonyms do not. The same text always gives the same vector, of length 1.
import { setImmediate as nextTick } from 'node:timers/promises'
import type { StopSignal } from '#core/stop.ts'
import type { EmbedRequest, EmbedResult } from '../provider.ts'
import { isStopWord, stem, tally, wordsOf } from './text/language.ts'
import { countTokens } from './text/tokens.ts'

export const embeddingDimensions = { min: 16, max: 1024, default: 256 }
/** The limits of hosted embedding models: for one input, and for all inputs of a request. */
export const maxEmbeddedTokens = { input: 8_192, request: 300_000 }

/** A whole word weighs 1. Common words (" ") say little; pieces ("#") stand for other forms. */
const weights = new Map([
  [' ', 0.1],
  ['#', 0.3],
])
/** After this many texts other requests are served; about 10 ms of work for the longest texts. */
const textsPerTick = 16

export async function embedTexts(
  inputs: readonly string[],
  { dimensions = embeddingDimensions.default }: Pick<EmbedRequest, 'dimensions'>,
  signal: StopSignal,
): Promise<EmbedResult> {
  const vectors: Float32Array[] = []
  for (const text of inputs) {
    if (vectors.length % textsPerTick === textsPerTick - 1) await nextTick()
    if (signal.aborted) throw signal.reason
    vectors.push(vectorOf(text, dimensions))
  }
  const inputTokens = inputs.reduce((total, text) => total + countTokens(text), 0)
  return { vectors, usage: { inputTokens, outputTokens: 0 } }
}

function vectorOf(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions)
  for (const [feature, weight] of featuresOf(text)) {
    const hash = fnv1a(feature)
    const sign = hash & 1 ? 1 : -1
    const index = (hash >>> 1) % dimensions
    vector[index] = (vector[index] ?? 0) + sign * weight
  }
  const length = Math.hypot(...vector)
  // With few dimensions, opposite signs may cancel out; such a text still gets a direction.
  if (length === 0) vector[fnv1a(text) % dimensions] = 1
  else for (let i = 0; i < dimensions; i++) vector[i] = (vector[i] ?? 0) / length
  return vector
}

/** A repeated word counts more, but not in proportion. */
function featuresOf(text: string): [feature: string, weight: number][] {
  const normal = text.normalize('NFKC').toLowerCase()
  const features = wordsOf(normal).flatMap((word) =>
    isStopWord(word) ? [` ${word}`] : [stem(word), ...piecesOf(`<${word}>`)],
  )
  // A text without words, such as signs alone, is hashed as a whole.
  const counts = tally(features.length > 0 ? features : [normal])
  const weightOf = (feature: string) => weights.get(feature.charAt(0)) ?? 1
  return [...counts].map(([feature, count]) => [feature, weightOf(feature) * (1 + Math.log(count))])
}

const piecesOf = (word: string): string[] =>
  Array.from({ length: word.length - 2 }, (_, i) => `#${word.slice(i, i + 3)}`)

/** FNV-1a of the UTF-16 units, with a final mix because its low bits alone are uneven. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i)
    hash = Math.imul(hash, 0x01000193)
  }
  hash ^= hash >>> 15
  hash = Math.imul(hash, 0x2c1b3c6d)
  return (hash ^ (hash >>> 13)) >>> 0
}
