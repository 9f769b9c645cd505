import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as TypeBox from 'typebox'
import { Type } from '#core/schema.ts'

type Builders = typeof Type

/** The same schemas by both, as the text that callers and generated files see. */
const same = (name: string, build: (type: Builders) => object) =>
  test(name, () => {
    assert.equal(JSON.stringify(build(Type)), JSON.stringify(build(TypeBox.Type)))
  })

const described = { description: 'What it is.' }

same('values are written as the library writes them', (type) => [
  type.String({ ...described, minLength: 1, pattern: '^a' }),
  type.Integer({ minimum: 1 }),
  type.Number(),
  type.Boolean(described),
  type.Null(described),
  type.Unknown(described),
  type.Unsafe<'a'>({ type: 'string', enum: ['a'] }),
])

same('literals carry the type of their value', (type) => [
  type.Literal('a', described),
  type.Literal(3),
  type.Literal(true),
])

same('lists, alternatives and records keep the order of their members', (type) => [
  type.Array(type.String(), { minItems: 1, ...described }),
  type.Union([type.String(), type.Null()], described),
  type.Record(type.String(), type.Number(), described),
])

same('an object requires what is not optional, however deep', (type) => [
  type.Object({}),
  type.Object({ a: type.Optional(type.Number()) }),
  type.Object(
    {
      a: type.String(),
      b: type.Optional(
        type.Object({ c: type.String(), d: type.Optional(type.Array(type.Null())) }),
      ),
    },
    { additionalProperties: false, ...described },
  ),
])

same('a copy of an optional member is required, as it is in the library', (type) => {
  const member = type.Optional(type.String())
  return type.Object({ a: { ...member } as typeof member, b: member })
})
