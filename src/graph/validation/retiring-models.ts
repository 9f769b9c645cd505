import type { Lifecycle } from '#core/lifecycle.ts'
import type { ModelLookup } from '../node/models.ts'
import type { Plan } from '../plan/plan.ts'
import { findNodeType } from '../types/table.ts'
import { type GraphWarningCode, type Problem, quote } from './problems.ts'

/** Nodes whose model will not answer for ever, or no longer does. */
export const retiringModels = (plan: Plan, models: ModelLookup): Problem<GraphWarningCode>[] =>
  plan.nodes.flatMap(({ id, index, type, config }) => {
    const modelId = type.model?.(config, { nodeType: findNodeType }) ?? null
    const lifecycle = modelId === null ? undefined : models(modelId)?.lifecycle
    if (modelId === null || !lifecycle) return []
    const message = `Model ${quote(modelId)} ${sentenceOf(lifecycle)}`
    return [{ code: 'MODEL_RETIRING', path: `/nodes/${index}`, message, nodeId: id }]
  })

function sentenceOf({ status, shutdownAt, replacement }: Lifecycle): string {
  const instead = replacement === undefined ? 'Choose another model.' : `Use ${quote(replacement)}.`
  if (status === 'retired') return `was shut down on ${shutdownAt}. ${instead}`
  const when = shutdownAt === undefined ? 'is being retired' : `will be shut down on ${shutdownAt}`
  return `${when}. ${instead}`
}
