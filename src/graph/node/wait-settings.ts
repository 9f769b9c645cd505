// Settings that nodes which wait for somebody share.
import { Type } from '#core/schema.ts'
import type { ConfigProblem } from './node-type.ts'
import { userSchemaProblem } from './user-schema.ts'

/** 365 days. */
export const longestWaitSeconds = 31_536_000
export const defaultExpirySeconds = 604_800

export const ExpiresAfterSeconds = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: longestWaitSeconds,
    default: defaultExpirySeconds,
    title: 'Expires after',
    description: 'In seconds. Then the branch expired is taken. Default: a week.',
  }),
)

/** What is wrong with a schema that a user wrote in the setting `name`. */
export function schemaProblems(name: string, schema: object | undefined): ConfigProblem[] {
  const problem = schema && userSchemaProblem(schema)
  return problem
    ? [{ path: `/${name}${problem.path}`, message: `${name}: ${problem.message}` }]
    : []
}
