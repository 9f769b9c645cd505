// Parameters of pictures and videos that only some vendors have, under the vendors' own names.
// A model declares those that reach it; all others are told to the caller as ignored.
import type { Issue } from './errors.ts'

export type MediaOptions = {
  seed?: number
  negative_prompt?: string
  background?: string
  output_format?: string
  output_compression?: number
  moderation?: string
}

export type MediaOption = keyof MediaOptions

type Rule = [isValid: (value: unknown) => boolean, must: string]

const oneOf = (...words: string[]): Rule => [
  (value) => words.some((word) => word === value),
  `must be one of ${words.join(', ')}`,
]

const rules: Record<MediaOption, Rule> = {
  seed: [(value) => Number.isSafeInteger(value), 'must be a whole number'],
  negative_prompt: [(value) => typeof value === 'string', 'must be a string'],
  background: oneOf('auto', 'opaque', 'transparent'),
  // Only pictures of these types can be stored; any other would be paid for and lost.
  output_format: oneOf('png', 'jpeg', 'webp'),
  output_compression: [
    (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 100,
    'must be a whole number from 0 to 100',
  ],
  moderation: oneOf('auto', 'low'),
}

export const mediaOptions = Object.keys(rules) as MediaOption[]

/** Why the value cannot be sent, if it cannot. */
export const optionProblem = (name: MediaOption, value: unknown): string | undefined =>
  rules[name][0](value) ? undefined : rules[name][1]

type Declares = { capabilities: { mediaOptions?: readonly MediaOption[] } }

/**
 * Those that reach every model that may serve the task, which has this many pictures to start from:
 * OpenAI's edits have no moderation.
 */
export function carriedBy(
  models: readonly (Declares | undefined)[],
  pictures: number,
): readonly MediaOption[] {
  const [first = [], ...others] = models.map((model) => model?.capabilities.mediaOptions ?? [])
  const isShared = (name: MediaOption) => others.every((other) => other.includes(name))
  return first.filter((name) => isShared(name) && (pictures === 0 || name !== 'moderation'))
}

/** Counts as vendors name them; more than one picture would be paid for. */
const counts = ['n', 'num_images', 'num_outputs', 'number_of_images', 'numberOfImages']
const maxIgnored = 50
const maxNameLength = 100

export type FurtherParameters = {
  options: MediaOptions
  /** The names of those that reach no model, some of them if there are very many. */
  ignored: string[]
  /** Those that would change what is paid for or shown. */
  unsupported: Issue[]
  /** Those that reach the model, but not with this value. */
  invalid: Issue[]
}

/** `read`: the fields that the operation itself reads. A value of null counts as not given. */
export function readFurther(
  body: Record<string, unknown>,
  { read, carried }: { read: ReadonlySet<string>; carried: readonly MediaOption[] },
): FurtherParameters {
  const options: Record<string, unknown> = {}
  const found: FurtherParameters = { options, ignored: [], unsupported: [], invalid: [] }
  for (const [name, value] of Object.entries(body)) {
    if (value === null || value === undefined || read.has(name)) continue
    const option = carried.find((one) => one === name)
    if (name === 'mask') {
      found.unsupported.push(issue(name, 'is not supported for videos'))
    } else if (counts.includes(name)) {
      if (value !== 1)
        found.unsupported.push(issue(name, 'may only be 1: submit one task for each'))
    } else if (option === undefined) {
      if (found.ignored.length < maxIgnored) found.ignored.push(name.slice(0, maxNameLength))
    } else {
      options[option] = value
      const problem = optionProblem(option, value)
      if (problem !== undefined) found.invalid.push(issue(name, problem))
    }
  }
  return found
}

const issue = (name: string, problem: string): Issue => ({
  path: `/${name}`,
  rule: 'parameter',
  message: `${name} ${problem}`,
})
