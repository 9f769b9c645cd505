import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createIsolatedPool, type Patience } from '#isolation/isolated-pool.ts'
import { sharedScripts } from '#isolation/isolated-process.ts'
import { createVerdicts } from './verdicts.ts'

type SchemaCheck = { schema: object; value?: unknown }

export type SchemaAnswer =
  | { issues: { path: string; rule: string; message: string }[] }
  /** The schema itself is invalid. */
  | { schema: string }

export type SchemaChecker = {
  /**
   * Checks each schema as JSON Schema 2020-12 and, if there is a value, the value against it.
   * Rejects with SERVICE_UNAVAILABLE if this server could not check at all.
   */
  checkSchemas(
    owner: string,
    checks: readonly SchemaCheck[],
    patience?: Patience,
  ): Promise<SchemaAnswer[]>
  close(): void
}

const resolve = createRequire(import.meta.url).resolve
const used = ['fast-deep-equal', 'fast-uri', 'json-schema-traverse', 'require-from-string']

/** Folders of the libraries, each found as its importer finds it: npm may nest any of them. */
function libraries(): string[] {
  const ofAjv = createRequire(resolve('ajv')).resolve
  const own = ['ajv', 'ajv-formats'].map((name) => resolve(`${name}/package.json`))
  return [...own, ...used.map((name) => ofAjv(`${name}/package.json`))].map((path) => dirname(path))
}

export function createSchemaChecker({
  limitMs = 1000,
  patienceMs,
}: Patience & { limitMs?: number } = {}): SchemaChecker {
  const script = fileURLToPath(new URL('./schema-process.mjs', import.meta.url))
  const pool = createIsolatedPool(
    {
      arguments: [script, resolve('ajv/dist/2020.js'), resolve('ajv-formats'), String(limitMs)],
      readable: [script, ...sharedScripts, ...libraries()],
      flags: [],
    },
    { processes: 1, patienceMs },
  )
  const judge = createVerdicts<SchemaAnswer>(
    (value) => {
      const { answer, spentMs } = value as { answer: SchemaAnswer; spentMs: number }
      return { verdict: answer, spentMs }
    },
    (reason) => ({ schema: `It takes too long to check: simplify it. ${reason}` }),
  )
  return {
    async checkSchemas(owner, checks, patience) {
      const answers = await judge(
        checks.map((check) => ({
          key: 'value' in check ? null : JSON.stringify(check.schema),
          ask: () => pool.run(owner, { owner, ...check }, patience),
        })),
      )
      return answers.map((answer) => answer ?? { issues: [] })
    },
    close: pool.close,
  }
}
