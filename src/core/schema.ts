// The TypeBox builders that this server uses, with the library's types. Each only makes an object;
// loading the library for that took 370 files and a fifth of the start-up time.
// A test compares every builder with the library.
import type * as TypeBox from 'typebox'

export type { Static, TObject, TProperties, TSchema } from 'typebox'

type Schema = Record<string, unknown>
type Names =
  | 'Array'
  | 'Boolean'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Unsafe'

// Optional schemas are marked here and not by a property, so that they remain plain JSON Schema.
const optional = new WeakSet<object>()

const simple = (type: string) => (options?: Schema) => ({ type, ...options })

const builders: Record<Names, (...given: never[]) => Schema> = {
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Boolean: simple('boolean'),
  Integer: simple('integer'),
  Literal: (value: unknown, options?: Schema) => ({ type: typeof value, const: value, ...options }),
  Null: simple('null'),
  Number: simple('number'),
  Object: (properties: Record<string, Schema>, options?: Schema) => {
    const required = Object.keys(properties).filter((name) => !optional.has(properties[name] ?? {}))
    const needs = required.length > 0 ? { required } : {}
    return { type: 'object', ...needs, properties, ...options }
  },
  Optional: (schema: Schema) => {
    const copy = { ...schema }
    optional.add(copy)
    return copy
  },
  Record: (_keys: Schema, values: Schema, options?: Schema) => ({
    type: 'object',
    patternProperties: { '^.*$': values },
    ...options,
  }),
  String: simple('string'),
  Union: (anyOf: Schema[], options?: Schema) => ({ anyOf, ...options }),
  Unknown: (options?: Schema) => ({ ...options }),
  Unsafe: (schema: Schema) => ({ ...schema }),
}

export const Type = builders as unknown as Pick<typeof TypeBox.Type, Names>
