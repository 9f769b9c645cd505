// Keeps every field, type and header of a request, and a few letters of its texts: the prompts and
// descriptions are their authors', and nothing in them decides whether a request is understood.
import { homedir, hostname, userInfo } from 'node:os'

const keptLetters = 24

type Short = { headers: Record<string, string>; body: unknown }

/** Values of these fields decide how a request is read. */
const wholeFields = new Set([
  ...['type', 'role', 'name', 'model', 'id', 'call_id', 'tool_use_id', 'tool_call_id', 'effort'],
  ...[
    'anthropic-beta',
    'anthropic-version',
    'encrypted_content',
    'signature',
    'media_type',
    'enum',
  ],
  ...['previous_response_id', 'required', 'syntax', '$schema', 'include', 'namespace', 'display'],
  ...['x-codex-beta-features', 'mimeType', 'ttl', 'thoughtSignature', 'format', 'keep', 'status'],
  ...['data', 'image_url', 'url', 'file_data'],
])

export function shorten(request: Short, root: string): Short {
  const names = [root, homedir(), hostname(), userInfo().username].filter(
    ({ length }) => length > 3,
  )
  const clean = (text: string) =>
    names.reduce((cleaned, name) => cleaned.replaceAll(name, 'somewhere'), text)
  return {
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [
        name,
        wholeFields.has(name) ? value : clean(value).slice(0, 60),
      ]),
    ),
    body: shortValue(request.body, '', clean),
  }
}

function shortValue(value: unknown, field: string, clean: (text: string) => string): unknown {
  if (typeof value === 'string') {
    if (field === 'arguments') return argumentsOf(value, clean)
    return wholeFields.has(field) ? clean(value) : cut(clean(value), keptLetters)
  }
  if (Array.isArray(value)) {
    const list =
      field === 'tools' || field === 'functionDeclarations' ? distinctTools(value) : value
    return list.map((one) => shortValue(one, field, clean))
  }
  if (value === null || typeof value !== 'object') return value
  const isSchema = field === 'properties' || field === '$defs'
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      // Below `properties`, a name is the name of an argument and means nothing here.
      shortValue(one, isSchema ? 'properties-of' : name, clean),
    ]),
  )
}

const cut = (text: string, letters: number): string =>
  text.length <= letters ? text : `${text.slice(0, letters)}…`

/** Arguments stay JSON. */
function argumentsOf(text: string, clean: (text: string) => string): string {
  try {
    return JSON.stringify(shortValue(JSON.parse(text), '', clean))
  } catch {
    return '{}'
  }
}

/** Of tools whose schemas look alike, the first two stay; the hundredth teaches nothing new. */
function distinctTools(tools: unknown[]): unknown[] {
  const counts = new Map<string, number>()
  return tools.filter((tool) => {
    const shape = [...shapesOf(tool)].sort().join()
    counts.set(shape, (counts.get(shape) ?? 0) + 1)
    return (counts.get(shape) ?? 0) <= 2
  })
}

/** Every path of fields with the type of its value, and the value of `type`, `role` and betas. */
export function* shapesOf(value: unknown, path = ''): Iterable<string> {
  if (Array.isArray(value)) {
    for (const one of value) yield* shapesOf(one, `${path}[]`)
  } else if (value !== null && typeof value === 'object') {
    const isArguments = /\.(properties|input|args|arguments)$/.test(path)
    for (const [name, one] of Object.entries(value)) {
      yield* shapesOf(one, `${path}.${isArguments ? '*' : name}`)
    }
  } else {
    const isTelling = /\.(type|role|effort|anthropic-beta)$/.test(path)
    yield `${path}:${isTelling ? value : typeof value}`
  }
}
