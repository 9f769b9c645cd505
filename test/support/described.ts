import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { consolePrefix } from '#api/console/context.ts'
import { consoleOperations } from '#api/console/registry.ts'
import type { SuccessForm } from '#api/operation.ts'
import { apiPrefix } from '#api/public/context.ts'
import { operations } from '#api/public/registry.ts'
import { errorTable } from '#core/error-table.ts'
import { envelope } from '#http/openapi/openapi.ts'

const ajv = new Ajv2020({ strict: false, allErrors: true })
ajvFormats.default(ajv)

type Described = {
  method: string
  pattern: RegExp
  id: string
  success: Record<number, SuccessForm>
}

const described: Described[] = [
  ...operations.map((operation) => ({ prefix: apiPrefix, operation })),
  ...consoleOperations.map((operation) => ({ prefix: consolePrefix, operation })),
]
  // Fixed paths come first, because a path with a parameter could match them too.
  .sort((a, b) => Number(a.operation.path.includes('{')) - Number(b.operation.path.includes('{')))
  .map(({ prefix, operation }) => ({
    id: operation.id,
    method: operation.method,
    success: operation.success,
    pattern: new RegExp(`^${prefix}${operation.path.replace(/\{\w+\}/g, '[^/]+')}$`),
  }))

const validators = new Map<string, ValidateFunction>()

/** Checks every answer that a test gets against what the registry declares. */
export function assertDescribed(method: string, path: string, status: number, body: unknown) {
  const pathname = path.split('?')[0] ?? ''
  const operation = described.find((one) => one.method === method && one.pattern.test(pathname))
  if (!operation || body === undefined) return
  if (status >= 400) return assertFailure(body, status, operation.id)
  const form = operation.success[status]
  if (!form) {
    assert.ok(status >= 300, `${operation.id} answered ${status}, which it does not declare`)
    return
  }
  if (!form.data) return
  const key = `${operation.id} ${status}`
  const validate = validators.get(key) ?? ajv.compile(envelope(form))
  validators.set(key, validate)
  assert.ok(
    validate(body),
    `${key}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body).slice(0, 2000)}`,
  )
}

function assertFailure(body: unknown, status: number, id: string) {
  const { success, error } = body as {
    success: unknown
    error: { code: keyof typeof errorTable; message: unknown; retryable: unknown }
  }
  assert.equal(success, false, id)
  assert.equal(errorTable[error.code]?.status, status, `${id}: ${error.code} with ${status}`)
  assert.equal(typeof error.message, 'string')
  assert.equal(typeof error.retryable, 'boolean')
}
