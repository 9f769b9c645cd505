import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createIsolatedPool } from './isolated-pool.ts'

type SchemaCheck = { schema: object; value?: unknown }

export type SchemaAnswer =
  | { issues: { path: string; rule: string; message: string }[] }
  /** The schema itself is at fault. */
  | { schema: string }

export type SchemaChecker = {
  /** Per check: is it JSON Schema 2020-12, and the value against it where one is given. */
  checkSchemas(owner: string, checks: readonly SchemaCheck[]): Promise<SchemaAnswer[]>
  close(): void
}

const resolve = createRequire(import.meta.url).resolve
const libraries = [
  'ajv',
  'ajv-formats',
  'fast-deep-equal',
  'fast-uri',
  'json-schema-traverse',
  'require-from-string',
]

export function createSchemaChecker({ processes = 1, limitMs = 1000 } = {}): SchemaChecker {
  const here = (name: string) => join(import.meta.dirname, name)
  const script = here('schema-process.mts')
  const packages = dirname(dirname(resolve('ajv/package.json')))
  const pool = createIsolatedPool(
    {
      arguments: [script, resolve('ajv/dist/2020.js'), resolve('ajv-formats')],
      readable: [script, here('job-loop.mts'), ...libraries.map((name) => join(packages, name))],
      flags: [],
    },
    { processes, limitMs },
  )
  return {
    async checkSchemas(owner, checks) {
      if (checks.length === 0) return []
      const reply = await pool.run(owner, { owner, checks })
      if ('value' in reply && Array.isArray(reply.value)) return reply.value as SchemaAnswer[]
      const reason = 'limit' in reply ? reply.limit : 'It cannot be checked.'
      return checks.map(() => ({ schema: `It takes too long to check: simplify it. ${reason}` }))
    },
    close: pool.close,
  }
}
