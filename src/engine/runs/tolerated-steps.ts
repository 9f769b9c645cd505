import type { FailedStep } from '#core/step-states.ts'
import type { Config, NodeType } from '#graph/node/node-type.ts'
import type { Plan, PlanNode } from '#graph/plan/plan.ts'
import { findNodeType } from '#graph/types/table.ts'
import { isLimit } from './item-scope.ts'
import type { CompiledRun } from './run-plan.ts'

/** Whether the call failed inside an item of a list that may fail without the others. */
export function isTolerated(run: Pick<CompiledRun, 'plan' | 'called'>, step: FailedStep): boolean {
  if (isLimit(step.error)) return false
  let plan: Plan | undefined = run.plan
  for (const part of step.path.replace(/#\d+$/, '').split('/')) {
    const [id, ...items] = part.split('[')
    const node: PlanNode | undefined = plan?.nodes.find((one) => one.id === id)
    let at: { type: NodeType; data: Config } | null = node
      ? { type: node.type, data: node.config }
      : null
    for (const _ of items) {
      if (at?.type.isTolerant?.(at.data)) return true
      at = at && stepOf(at)
    }
    const target: number | null = at?.type.calls?.(at.data) ?? null
    plan = target === null ? undefined : run.called.get(target)?.plan
  }
  return false
}

function stepOf({ type, data }: { type: NodeType; data: Config }) {
  const step = type.step?.(data)
  const inner = step && findNodeType(step.type)
  return inner ? { type: inner, data: step.data } : null
}
