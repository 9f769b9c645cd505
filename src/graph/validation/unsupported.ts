import type { ModelLookup } from '../node/models.ts'
import type { Config } from '../node/node-type.ts'
import { isGiven, type Plan, type PlanNode } from '../plan/plan.ts'
import { findNodeType } from '../types/table.ts'
import type { UnsupportedNode } from './problems.ts'

type Callable = ReadonlyMap<number, { isUnsupported: boolean }>

/** Nodes that cannot currently run on this server. */
export function unsupportedNodes(
  plan: Plan,
  models: ModelLookup,
  called: Callable,
): UnsupportedNode[] {
  return plan.nodes.flatMap((node) => {
    const found = reasonOf(node, models, called)
    return found ? [{ nodeId: node.id, type: node.typeName, ...found }] : []
  })
}

const browserOnly =
  'It works in the canvas only; a run skips it unless the inputs contain its result.'

function reasonOf(
  { type, config, mode }: PlanNode,
  models: ModelLookup,
  called: Callable,
): Pick<UnsupportedNode, 'reason' | 'message'> | null {
  if (mode) return null
  if (type.browserOnly) {
    return { reason: 'BROWSER_ONLY', message: browserOnly }
  }
  const target = type.calls?.(config) ?? null
  if (target !== null && called.get(target)?.isUnsupported) {
    const message = `Workflow ${target} has an output that needs a node this server cannot run.`
    return { reason: 'SUBWORKFLOW_UNSUPPORTED', message }
  }
  const modelId = type.model?.(config, { nodeType: findNodeType }) ?? null
  if (modelId === null) return null
  const hasOwnKey = (type.credential?.(config, { nodeType: findNodeType }) ?? null) !== null
  return modelReason(modelId, models, { hasOwnKey })
}

function modelReason(
  modelId: string,
  models: ModelLookup,
  { hasOwnKey }: { hasOwnKey: boolean },
): Pick<UnsupportedNode, 'reason' | 'message'> | null {
  const model = models(modelId)
  switch (model?.availability) {
    case 'available':
      return null
    case 'not-configured':
      // Only a run can tell whether the account has that credential.
      if (hasOwnKey) return null
      return {
        reason: 'PROVIDER_NOT_CONFIGURED',
        message: `Model "${modelId}" needs the provider "${model.provider}", which this server has no key for. Choose another model, or name a credential with a key of your own.`,
      }
    default:
      return {
        reason: 'MODEL_UNAVAILABLE',
        message: `Model "${modelId}" is ${model ? 'disabled' : 'not known'} here. Choose one from the model list.`,
      }
  }
}

/** Outputs that can never have a value, because a node they need cannot run and is not given. */
export function deadResults(
  plan: Plan,
  unsupported: readonly UnsupportedNode[],
  given: Config = {},
): string[] {
  const unable = new Set(unsupported.map((node) => node.nodeId))
  const dead = new Set<number>()
  for (const index of plan.order) {
    const node = plan.nodes[index]
    if (!node || isGiven(node, given)) continue
    const isMerge = node.ports.inputs.some((port) => port.multi)
    const isDead = (wire: { source: number }) => dead.has(wire.source)
    const starves = isMerge
      ? node.wires.length > 0 && node.wires.every(isDead)
      : node.wires.some(isDead)
    if (starves || unable.has(node.id)) dead.add(index)
  }
  // A run of some nodes only is asked for those, whether they are outputs or not.
  if (plan.targets) {
    return plan.targets.flatMap((index) => (dead.has(index) ? (plan.nodes[index]?.id ?? []) : []))
  }
  return plan.results.filter((result) => dead.has(result.node)).map((result) => result.key)
}
