import { NodeFailure } from './node-failure.ts'
import { maxTextChars, member, toText } from './values.ts'

// A path starts with a name; further segments select members of an object or list.
const placeholder = /\{\{\s*([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)\s*\}\}/g

type Path = { name: string; rest: string[] }

function toPath(text: string): Path {
  const [name = '', ...rest] = text.split('.')
  return { name, rest }
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

/** Replaces each placeholder; a missing value becomes the empty string. */
export function render(
  template: string,
  values: Readonly<Record<string, unknown>>,
  write: (text: string) => string = (text) => text,
): string {
  let length = template.length
  return template.replace(placeholder, (_, path: string) => {
    const { name, rest } = toPath(path)
    const text = write(toText(lookUp(member(values, name), rest)))
    length += text.length
    if (length > maxTextChars) {
      throw new NodeFailure('EXPRESSION_LIMIT', 'The text would be longer than 2 MiB.')
    }
    return text
  })
}

function lookUp(value: unknown, path: readonly string[]): unknown {
  let found = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null) return undefined
    found = member(found, key)
  }
  return found
}
