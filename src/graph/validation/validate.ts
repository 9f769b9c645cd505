// The complete check of a graph: the synchronous checks of checkGraph, and those that have to
// wait for called workflows, expressions and users' schemas. Reports every problem and never
// throws because of its input.

import { isRecord } from '#core/record.ts'
import type { ModelLookup } from '../node/models.ts'
import type { Plan } from '../plan/plan.ts'
import { findNodeType } from '../types/table.ts'
import { type CallTable, envOf, type LoadGraphs, resolveCalls } from './calls.ts'
import { checkCredentials, type FindCredentials } from './check-credentials.ts'
import { type CheckedGraph, checkGraph } from './check-graph.ts'
import { placeholderWarnings } from './placeholder-warnings.ts'
import { createProblemList, type ErrorList, type Validation } from './problems.ts'
import { retiringModels } from './retiring-models.ts'
import { unsupportedNodes } from './unsupported.ts'
import { warningsOf } from './warnings.ts'

export type ValidateEnv = {
  models: ModelLookup
  load: LoadGraphs
  selfId: number | null
  /** For each expression, its problem or null. */
  checkExpressions(texts: readonly string[]): Promise<readonly (string | null)[]>
  checkSchemas(
    checks: readonly { schema: object; value?: unknown }[],
  ): Promise<readonly SchemaAnswer[]>
  findCredentials: FindCredentials
}

export type SchemaAnswer =
  | { issues: readonly { path: string; rule: string; message: string }[] }
  | { schema: string }

export type ValidatedGraph = {
  validation: Validation
  /** Null if the graph is not valid. */
  plan: Plan | null
  calls: CallTable
  ports: CheckedGraph['ports']
}

const maxWarnings = 100

export async function validateGraph(data: unknown, env: ValidateEnv): Promise<ValidatedGraph> {
  const calls = await resolveCalls(data, env)
  const checked = checkGraph(data, envOf(env.models, calls.called, calls.problem))
  const errors = createProblemList<(typeof checked.errors)[number]['code']>()
  for (const error of checked.errors) errors.add(error)
  const isWithinLimits = !isOverLimit(checked)
  if (isWithinLimits) {
    await checkExpressions(data, env, errors)
    await checkUserSchemas(data, env, errors)
  }
  const credentials = isWithinLimits ? await checkCredentials(soundNodes(data), env) : null
  for (const error of credentials?.errors ?? []) errors.add(error)
  const plan = errors.items.length === 0 ? checked.plan : null
  const unsupported = plan ? unsupportedNodes(plan, env.models, calls.called) : []
  return {
    plan,
    calls,
    ports: checked.ports,
    validation: {
      valid: errors.items.length === 0,
      errors: errors.items,
      warnings: [
        ...warningsOf(plan, unsupported, checked.nodeCount),
        ...(plan ? retiringModels(plan, env.models) : []),
        ...(plan ? placeholderWarnings(plan) : []),
        ...(credentials?.warnings ?? []),
        ...checked.unknownSettings,
      ].slice(0, maxWarnings),
      unsupportedNodes: unsupported,
      nodeCount: checked.nodeCount,
      connectionCount: checked.connectionCount,
    },
  }
}

const isOverLimit = ({ errors }: CheckedGraph) =>
  errors.some(({ code }) => code === 'TOO_MANY_NODES' || code === 'TOO_MANY_CONNECTIONS')

type Written = { path: string; where: { nodeId?: string } }

/** Nodes with a known type and settings. The rest of the graph may be invalid. */
function* soundNodes(data: unknown) {
  const nodes = isRecord(data) && Array.isArray(data.nodes) ? data.nodes : []
  for (const [index, node] of nodes.entries()) {
    if (!isRecord(node) || typeof node.type !== 'string' || !isRecord(node.data)) continue
    const type = findNodeType(node.type)
    const where = typeof node.id === 'string' ? { nodeId: node.id.slice(0, 64) } : {}
    if (type) yield { type, settings: node.data, path: `/nodes/${index}/data`, where }
  }
}

async function checkExpressions(data: unknown, env: ValidateEnv, errors: ErrorList) {
  const found: (Written & { text: string })[] = []
  for (const { type, settings, path, where } of soundNodes(data)) {
    const written = type.expressions?.(settings, { nodeType: findNodeType }) ?? []
    found.push(...written.map((one) => ({ text: one.text, path: path + one.path, where })))
  }
  const answers = await env.checkExpressions(found.map(({ text }) => text))
  for (const [i, { path, where }] of found.entries()) {
    const answer = answers[i]
    if (!answer) continue
    const message = `The expression is not JSONata: ${answer}`
    errors.add({ code: 'INVALID_EXPRESSION', path, message, ...where })
  }
}

async function checkUserSchemas(data: unknown, env: ValidateEnv, errors: ErrorList) {
  const found: (Written & { schema: object; value?: unknown; setting: string })[] = []
  for (const { type, settings, path, where } of soundNodes(data)) {
    const written = type.userSchema?.(settings)
    if (!written) continue
    const value = 'default' in written ? { value: written.default } : {}
    found.push({
      schema: written.schema,
      setting: written.setting ?? 'schema',
      ...value,
      path,
      where,
    })
  }
  const checks = found.map(({ schema, ...rest }) =>
    'value' in rest ? { schema, value: rest.value } : { schema },
  )
  const answers = await env.checkSchemas(checks)
  for (const [i, { path, where, setting }] of found.entries()) {
    const answer = answers[i]
    if (!answer) continue
    if ('schema' in answer) {
      const message = `${setting} must be JSON Schema 2020-12: ${answer.schema}`
      errors.add({ code: 'INVALID_CONFIG', path: `${path}/${setting}`, message, ...where })
    } else if (answer.issues[0]) {
      const message = `default does not match schema: ${answer.issues[0].path} ${answer.issues[0].message}.`
      errors.add({ code: 'INVALID_CONFIG', path: `${path}/default`, message, ...where })
    }
  }
}
