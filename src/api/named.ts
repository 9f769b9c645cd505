// The names of records: of components in the OpenAPI documents, and of types in the client and the
// console. A schema carries its name beside it, so that it remains plain JSON Schema.
import type { TSchema } from '#core/schema.ts'
import type { Operation } from './operation.ts'

const names = new WeakMap<object, string>()

/** A copy with a name. Every schema of the same shape is then described by it, wherever it occurs. */
export function Named<S extends TSchema>(name: string, schema: S): S {
  const copy = { ...schema }
  names.set(copy, name)
  return copy
}

type Described = Pick<Operation<never>, 'id' | 'body' | 'success'>

/** The records that these operations take or return, in the order of their names. */
export function namedIn(operations: readonly Described[]): Map<string, object> {
  const found = new Map<string, object>()
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    const name = names.get(value)
    if (name !== undefined) found.set(name, value)
    Object.values(value).forEach(visit)
  }
  for (const { body, success } of operations) {
    visit(body)
    for (const { data } of Object.values(success)) visit(data)
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}
