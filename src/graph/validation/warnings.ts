import type { Plan } from '../plan/plan.ts'
import {
  createProblemList,
  type GraphWarningCode,
  type Problem,
  quote,
  type UnsupportedNode,
} from './problems.ts'

/** What works but is probably not intended. An invalid graph only gets the warning "empty". */
export function warningsOf(
  plan: Plan | null,
  unsupported: readonly UnsupportedNode[],
  nodeCount: number,
): Problem<GraphWarningCode>[] {
  const warnings = createProblemList<GraphWarningCode>()
  if (!plan) {
    if (nodeCount === 0) warnings.add(emptyGraph)
    return warnings.items
  }
  if (plan.nodes.length === 0) warnings.add(emptyGraph)
  else if (!plan.nodes.some(isOutput)) {
    const keys = plan.results.map((result) => quote(result.key)).slice(0, 10)
    const message = `There is no output node: the results of ${keys.join(', ')} become the outputs.`
    warnings.add({ code: 'NO_OUTPUT', path: '/nodes', message })
  }
  warnUnreachable(plan, warnings)
  const indices = new Map(plan.nodes.map((node) => [node.id, node.index]))
  for (const { nodeId, reason, message } of unsupported) {
    const isModel = reason === 'MODEL_UNAVAILABLE' || reason === 'PROVIDER_NOT_CONFIGURED'
    const code = isModel ? 'MODEL_UNAVAILABLE' : 'UNSUPPORTED_NODE'
    warnings.add({ code, path: `/nodes/${indices.get(nodeId)}`, message, nodeId })
  }
  return warnings.items
}

const emptyGraph: Problem<GraphWarningCode> = {
  code: 'NO_OUTPUT',
  path: '/nodes',
  message: 'The graph is empty: a run of it has no outputs.',
}

const isOutput = (node: Plan['nodes'][number]) => node.type.type === 'output'

const passesNothing =
  'It is bypassed, but no input of the type of its output is connected: what follows is skipped.'

/** Useful without an output, because they have side effects. */
const hasEffect = new Set(['http.request', 'workflow.call', 'wait.callback'])

function warnUnreachable(plan: Plan, warnings: { add(problem: Problem<GraphWarningCode>): void }) {
  const warn = (index: number, message: string) => {
    const nodeId = plan.nodes[index]?.id ?? ''
    warnings.add({ code: 'UNREACHABLE_NODE', path: `/nodes/${index}`, message, nodeId })
  }
  for (const index of plan.impossible) {
    warn(
      index,
      'This node can never run: it needs both branches of one condition. Join them with flow.merge.',
    )
  }
  for (const node of plan.nodes) {
    if (node.mode === 'bypass' && node.targets.length > 0) warn(node.index, passesNothing)
  }
  if (!plan.nodes.some(isOutput)) return
  const useful = new Set(plan.results.map((result) => result.node))
  for (const index of [...plan.order].reverse()) {
    const node = plan.nodes[index]
    if (!node) continue
    if (node.targets.some((target) => useful.has(target)) || hasEffect.has(node.type.type)) {
      useful.add(index)
    } else if (!useful.has(index) && !node.type.browserOnly && !node.mode) {
      warn(index, 'No output depends on this node: connect it, or remove it.')
    }
  }
}
