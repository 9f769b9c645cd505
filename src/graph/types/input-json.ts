import { isRecord } from '#core/record.ts'
import { Type } from '#core/schema.ts'
import { defineInput, type InputConfig, whenLeftOut } from '../node/input-node.ts'
import { schemaForAjv, userSchemaProblem } from '../node/user-schema.ts'

type Config = InputConfig & { schema?: object }

export const inputJson = defineInput<Config>({
  type: 'input.json',
  portType: 'json',
  canvas: {
    label: 'JSON input',
    icon: 'braces',
    help: 'Any JSON given when the run starts. Add a JSON Schema to say what it must look like.',
  },
  settings: {
    default: Type.Optional(Type.Unknown({ description: whenLeftOut })),
    schema: Type.Optional(
      Type.Object({}, { description: 'JSON Schema 2020-12; it may refer only to itself.' }),
    ),
  },
  schema: ({ schema }) => ({ ...schema }),
  check({ schema }) {
    const problem = schema && userSchemaProblem(schema)
    return problem ? [{ path: `/schema${problem.path}`, message: problem.message }] : []
  },
  userSchema({ schema, default: fallback }) {
    if (!isRecord(schema) || userSchemaProblem(schema)) return null
    return {
      schema: schemaForAjv(schema),
      ...(fallback === undefined ? {} : { default: fallback }),
    }
  },
  // The user's schema is checked elsewhere, in an isolated process.
  problem: () => null,
})
