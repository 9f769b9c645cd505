// The workflow operations on a real database, called as the HTTP side calls them: what comes in
// is checked by their schemas, and so is what goes out.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import type { Answer, Operation } from '#api/operation.ts'
import type { Context } from '#api/public/context.ts'
import { createWorkflow } from '#api/public/workflows/create-workflow.ts'
import { deleteWorkflow } from '#api/public/workflows/delete-workflow.ts'
import { estimateWorkflow } from '#api/public/workflows/estimate-workflow.ts'
import { getWorkflow } from '#api/public/workflows/get-workflow.ts'
import { getWorkflowSchema } from '#api/public/workflows/get-workflow-schema.ts'
import { listWorkflows } from '#api/public/workflows/list-workflows.ts'
import { updateWorkflow } from '#api/public/workflows/update-workflow.ts'
import { validateWorkflow } from '#api/public/workflows/validate-workflow.ts'
import { createCatalogue } from '#core/catalogue.ts'
import { Failure } from '#core/errors.ts'
import { scopes } from '#core/scopes.ts'
import { compileInput } from '#http/request-input.ts'
import { parseStrictJson } from '#http/strict-json.ts'
import { demoModels } from '#providers/demo/models.ts'
import type { Db } from '#store/db.ts'
import { insertAccount } from '#store/tables/accounts.ts'
import { openGraphTools } from '../../../src/graph/expressions/graph-tools.ts'
import type { Body } from '../../support/server.ts'

export const migrations = fileURLToPath(new URL('../../../src/store/migrations', import.meta.url))

const operations = {
  listWorkflows,
  createWorkflow,
  validateWorkflow,
  getWorkflow,
  updateWorkflow,
  deleteWorkflow,
  getWorkflowSchema,
  estimateWorkflow,
}
export type OperationName = keyof typeof operations

export type Call = {
  workflowId?: number | string
  query?: Record<string, string>
  body?: unknown
  ifMatch?: string
  accountId?: string
}

export type Outcome = {
  status: number
  headers: Record<string, string>
  /** Of a failure. */
  code: string | null
  data: Body
  details: Body
}

const ajv = new Ajv2020({ strict: true })
ajvFormats.default(ajv)

const readers = new Map(
  Object.values(operations).map((operation) => [operation.id, compileInput(operation)]),
)
const promises = new Map(
  Object.values(operations).map(({ id, success }) => [id, ajv.compile(success[200]?.data ?? {})]),
)

export const catalogue = createCatalogue([
  ...demoModels.map((model) => ({
    model: { ...model, enabled: true },
    provider: model.provider,
    providerModel: model.id,
    fallbacks: [],
  })),
  {
    model: {
      id: 'paid-text',
      name: 'Paid text',
      provider: 'openai',
      kind: 'TEXT',
      description: '',
      enabled: false,
      capabilities: { inputModalities: ['text'] },
      pricing: { currency: 'USD', inputPerMillionTokens: 2, outputPerMillionTokens: 8 },
    },
    provider: 'openai',
    providerModel: 'paid-text',
    fallbacks: [],
  },
])

async function checkCallbackUrl(url: string): Promise<string> {
  if (new URL(url).hostname !== 'localhost') return url
  throw new Failure('CALLBACK_URL_REJECTED', { details: { reason: 'HOST' } })
}

export function openApi(db: Db) {
  const owned = openGraphTools({ patienceMs: Number.POSITIVE_INFINITY })
  const graphs = { ...owned, checkCallbackUrl }
  let nowMs = Date.UTC(2026, 10, 15)
  const clock = { nowMs: () => nowMs }
  const accountId = randomUUID()
  const account = { id: accountId, name: 'Test', nowMs }
  let isThere: Promise<void> | undefined
  const services = { db, clock, catalogue, baseUrl: 'http://127.0.0.1', graphs }

  async function call(name: OperationName, options: Call = {}): Promise<Outcome> {
    isThere ??= db.transaction((tx) => insertAccount(tx, account))
    await isThere
    const operation = operations[name] as Operation<Context>
    const bytes = Buffer.from(options.body === undefined ? '' : JSON.stringify(options.body))
    const context = {
      // The operations under test use no other service.
      services: services as unknown as Context['services'],
      principal: {
        accountId: options.accountId ?? accountId,
        userId: null,
        keyId: null,
        scopes: new Set(scopes),
        limits: {},
        accountSpendPerMonthMicros: null,
      },
      requestId: 'test',
      signal: () => new AbortController().signal,
      headerValues: (header: string) =>
        header === 'if-match' && options.ifMatch !== undefined ? [options.ifMatch] : [],
    }
    try {
      const raw = {
        params: { workflowId: String(options.workflowId) },
        query: options.query ?? {},
        body: bytes.length === 0 ? undefined : parseStrictJson(bytes),
        bodyBytes: bytes.length,
      }
      const input = readers.get(operation.id)?.(raw, context.headerValues)
      assert.ok(input)
      return readAnswer(operation, await operation.handle(context, input))
    } catch (error) {
      return refusalOf(operation, error)
    }
  }

  return {
    call,
    accountId,
    db,
    passTime: (ms: number) => {
      nowMs += ms
    },
    /** The record of a new workflow. */
    async create(data: unknown = emptyGraph, name = 'A workflow'): Promise<Body> {
      const {
        status,
        data: record,
        details,
      } = await call('createWorkflow', { body: { name, data } })
      assert.equal(status, 200, JSON.stringify(details))
      return record
    },
    close: owned.close,
  }
}

export const emptyGraph = { nodes: [], connections: [] }

function refusalOf({ id, errors }: Operation<Context>, error: unknown): Outcome {
  if (!(error instanceof Failure)) throw error
  const { code, status, details } = error
  const declared: readonly string[] = ['INVALID_REQUEST', ...errors]
  assert.ok(declared.includes(code), `${id} does not declare ${code}`)
  return { status, headers: {}, code, data: null, details }
}

function readAnswer(
  operation: Operation<Context>,
  { status, headers = {}, body }: Answer,
): Outcome {
  const { success, data } = JSON.parse(JSON.stringify(body)) as { success: boolean; data: Body }
  assert.equal(success, true)
  const keeps = promises.get(operation.id)
  const isKept: boolean = keeps?.(data) ?? false
  assert.ok(isKept, JSON.stringify(keeps?.errors))
  return { status, headers, data, code: null, details: null }
}
