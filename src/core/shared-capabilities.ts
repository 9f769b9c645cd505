import type { Capabilities } from './catalogue.ts'

type Range = { min: number; max: number }

/** What each of several models can do. A bound that a model does not declare is not checked. */
export function sharedCapabilities(all: readonly Capabilities[]): Capabilities {
  const [first, ...others] = all
  return first ? others.reduce(both, first) : { inputModalities: ['text'] }
}

function both(one: Capabilities, other: Capabilities): Capabilities {
  const shared: Capabilities = {
    inputModalities: one.inputModalities.filter((word) => other.inputModalities.includes(word)),
    maxInputImages: Math.min(one.maxInputImages ?? 1, other.maxInputImages ?? 1),
    ...given('maxInputTokens', least(one.maxInputTokens, other.maxInputTokens)),
    ...given('maxOutputTokens', least(one.maxOutputTokens, other.maxOutputTokens)),
    ...given('minOutputTokens', most(one.minOutputTokens, other.minOutputTokens)),
    ...given('temperature', overlap(one.temperature, other.temperature)),
    ...given('topP', overlap(one.topP, other.topP)),
    ...given('imageAspectRatios', common(one.imageAspectRatios, other.imageAspectRatios)),
    ...given('imageQualities', common(one.imageQualities, other.imageQualities)),
    ...given('imageSampleSizes', common(one.imageSampleSizes, other.imageSampleSizes)),
    ...given('videoAspectRatios', common(one.videoAspectRatios, other.videoAspectRatios)),
    ...given('videoResolutions', common(one.videoResolutions, other.videoResolutions)),
    ...given('videoSeconds', lengths(one.videoSeconds, other.videoSeconds)),
    // What is absent here is not offered.
    reasoningEfforts: common(one.reasoningEfforts ?? [], other.reasoningEfforts ?? []) ?? [],
    mediaOptions: common(one.mediaOptions ?? [], other.mediaOptions ?? []) ?? [],
  }
  if (one.mask && other.mask) shared.mask = true
  if (one.documents && other.documents) shared.documents = true
  if (one.structuredOutput && other.structuredOutput) shared.structuredOutput = true
  if (one.webSearch && one.webSearch === other.webSearch) shared.webSearch = one.webSearch
  // What is absent here is offered.
  for (const name of ['stopSequences', 'forcedToolChoice', 'videoAudio'] as const) {
    if (one[name] === false || other[name] === false) shared[name] = false
  }
  return shared
}

/** Exact optional members: nothing is there that is undefined. */
const given = <Name extends keyof Capabilities>(
  name: Name,
  value: Capabilities[Name],
): { [Key in Name]?: NonNullable<Capabilities[Name]> } =>
  (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: NonNullable<typeof value> }

const least = (one: number | undefined, other: number | undefined) =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)

const most = (one: number | undefined, other: number | undefined) =>
  one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)

const overlap = (one: Range | undefined, other: Range | undefined): Range | undefined =>
  one && other
    ? { min: Math.max(one.min, other.min), max: Math.min(one.max, other.max) }
    : (one ?? other)

const common = <Word>(one: Word[] | undefined, other: Word[] | undefined): Word[] | undefined =>
  one && other ? one.filter((word) => other.includes(word)) : (one ?? other)

type Lengths = NonNullable<Capabilities['videoSeconds']>

/** As a list of values, because two ranges with gaps may share single lengths only. */
function lengths(one: Lengths | undefined, other: Lengths | undefined): Lengths | undefined {
  if (!one || !other) return one ?? other
  const values = valuesOf(one).filter((value) => valuesOf(other).includes(value))
  const [min, max] = [values[0] ?? one.min, values.at(-1) ?? one.min]
  const preferred = [one.default, other.default].find((value) => values.includes(value))
  return { min, max, default: preferred ?? min, values }
}

const valuesOf = ({ min, max, values }: Lengths): number[] =>
  values ?? Array.from({ length: max - min + 1 }, (_, index) => min + index)
