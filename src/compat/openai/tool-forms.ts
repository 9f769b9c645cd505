// Models call functions by one flat name with JSON as arguments. Clients also have functions within
// namespaces, tools whose input is plain text, and searches for tools: here is how each of them is
// called by a model, and how its calls are written for the client.
import { createHash } from 'node:crypto'
import { isRecord } from '#core/record.ts'
import type { ToolDefinition } from '#core/text-stream.ts'

/** How a client knows a function. */
export type ToolForm = {
  name: string
  namespace?: string
  /** `custom`: its input is plain text. `search`: the client looks for tools itself. */
  kind: 'function' | 'custom' | 'search'
}

/** By the name that the model calls; a function without an entry has no form of its own. */
export type ToolForms = ReadonlyMap<string, ToolForm>

export const noForms: ToolForms = new Map()

/** Vendors accept no longer names. */
export const maxNameChars = 64

/** OpenAI's own models know functions without a namespace by this one. */
const defaultNamespace = 'functions'

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8)

/** The same for a declaration and for every later call of it. */
export function flatName({ namespace, name }: Pick<ToolForm, 'name' | 'namespace'>): string {
  if (namespace === undefined || namespace === defaultNamespace) return name
  const joined = `${namespace}__${name}`
  if (joined.length <= maxNameChars) return joined
  return `${joined.slice(0, maxNameChars - 9)}_${hashOf(joined)}`
}

const hashedName = (form: ToolForm): string => {
  const joined = `${form.namespace ?? ''}__${form.name}`
  return `${joined.slice(0, maxNameChars - 9)}_${hashOf(`${form.kind} ${joined}`)}`
}

type Named = Omit<ToolDefinition, 'name'> & { form: ToolForm }

/** Which functions are declared, under which names; two that would have one name get others. */
export class Toolbox {
  readonly tools: ToolDefinition[] = []
  readonly #names = new Set<string>()
  readonly #forms = new Map<string, ToolForm>()

  /** False if the client has declared the very same function before. */
  add({ form, ...tool }: Named): boolean {
    const flat = flatName(form)
    const isTaken = this.#names.has(flat)
    if (isTaken && isSame(this.#forms.get(flat) ?? plain(flat), form)) return false
    const name = isTaken ? hashedName(form) : flat
    if (isTaken && this.#names.has(name)) return false
    this.#names.add(name)
    this.tools.push({ ...tool, name })
    if (name !== form.name || form.kind !== 'function' || form.namespace !== undefined) {
      this.#forms.set(name, form)
    }
    return true
  }

  get forms(): ToolForms {
    return this.#forms
  }

  /** The name by which the model has called it, or would. */
  nameOf(form: ToolForm): string {
    for (const [name, known] of this.#forms) if (isSame(known, form)) return name
    return flatName(form)
  }
}

const plain = (name: string): ToolForm => ({ name, kind: 'function' })

const isSame = (one: ToolForm, other: ToolForm): boolean =>
  one.name === other.name && one.namespace === other.namespace && one.kind === other.kind

/** The arguments of a call whose input is plain text. */
export const argumentsOf = (input: string): string => JSON.stringify({ input })

/** What a model wrote for a tool whose input is plain text; as it is if it did not keep to JSON. */
export function inputOf(written: string): string {
  try {
    const given: unknown = JSON.parse(written)
    if (isRecord(given) && typeof given.input === 'string') return given.input
  } catch {
    // The tool says what is wrong with it.
  }
  return written
}

/** The schema of a tool whose input is plain text. */
export const inputSchema = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input of the tool, as text' } },
  required: ['input'],
  additionalProperties: false,
}
