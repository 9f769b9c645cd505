import { NodeFailure } from './node-failure.ts'
import { maxTextChars, member, toText } from './values.ts'

// A path starts with a name; further segments select members of an object or list.
const placeholder = /\{\{\s*([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)\s*\}\}/g

type Path = { path: string; name: string; rest: string[] }

function toPath(path: string): Path {
  const [name = '', ...rest] = path.split('.')
  return { path, name, rest }
}

const maxPlaceholders = 1_000

/** Every placeholder of a template, as often as it occurs. */
export const placeholderPaths = (template: string): Path[] =>
  Array.from(template.matchAll(placeholder), ([, path = '']) => toPath(path))

/** The distinct names in a template, in order. Null if it has too many placeholders. */
export function placeholderNames(template: string): string[] | null {
  const names = new Set<string>()
  let count = 0
  for (const [, path = ''] of template.matchAll(placeholder)) {
    if (++count > maxPlaceholders) return null
    names.add(toPath(path).name)
  }
  return [...names]
}

/** The position of the first placeholder, or -1. */
export const firstPlaceholder = (template: string): number => template.search(placeholder)

/**
 * Replaces each placeholder. Null becomes the empty string, and so do its members, because somebody
 * said that there is nothing; a path that leads nowhere fails, because a hole in a text goes unseen.
 */
export function render(
  template: string,
  values: Readonly<Record<string, unknown>>,
  write: (text: string) => string = (text) => text,
): string {
  let length = template.length
  return template.replace(placeholder, (_, path: string) => {
    const found = lookUp(values, path)
    if ('problem' in found) throw new NodeFailure('EXPRESSION_ERROR', found.problem)
    const text = write(toText(found.value))
    length += text.length
    if (length > maxTextChars) {
      throw new NodeFailure('EXPRESSION_LIMIT', 'The text would be longer than 2 MiB.')
    }
    return text
  })
}

/** What a path leads to, or the sentence that says where it ends. */
export function lookUp(
  values: Readonly<Record<string, unknown>>,
  path: string,
): { value: unknown } | { problem: string } {
  let value: unknown = values
  let reached = ''
  for (const key of path.split('.')) {
    if (value === null || value === undefined) return { value: null }
    if (typeof value !== 'object' || !Object.hasOwn(value, key)) {
      return { problem: noValue(path, reached, value) }
    }
    value = member(value, key)
    reached += reached === '' ? key : `.${key}`
  }
  return { value }
}

const noValue = (path: string, reached: string, value: unknown): string =>
  `{{${cut(path)}}} has no value: ${reached === '' ? whatIsGiven(value) : `${cut(reached)} ${whatItIs(value)}`}.`

function whatIsGiven(values: unknown): string {
  const names = namesIn(values)
  return names === '' ? 'none are given' : `given are ${names}`
}

function whatItIs(value: unknown): string {
  if (Array.isArray(value)) {
    return value.length === 0
      ? 'is an empty list'
      : `is a list, whose members are 0 to ${value.length - 1}`
  }
  if (typeof value !== 'object') return `is ${scalars[typeof value]}, which has no members`
  const names = namesIn(value)
  return names === '' ? 'is an empty object' : `has the members ${names}`
}

const scalars: Record<string, string> = {
  ...{ string: 'a text', number: 'a number', boolean: 'true or false' },
}

const namesIn = (value: unknown): string => {
  const names = Object.keys(Object(value))
  return [...names.slice(0, 10).map(cut), ...(names.length > 10 ? ['…'] : [])].join(', ')
}

const cut = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text)
