// Items that failed without their run, and what a retry must therefore do again: the items, and all
// that was made from the lists they were missing in.
import type { Step } from '#core/step-states.ts'
import type { Config } from '#graph/node/node-type.ts'
import type { Plan, PlanNode } from '#graph/plan/plan.ts'
import { findNodeType } from '#graph/types/table.ts'
import type { RunRow } from '#store/tables/runs.ts'
import { findGraph } from '#store/tables/workflows.ts'
import type { Context } from '../context.ts'
import type { ReconstructedRun } from './run-services.ts'

/** False for nearly every run; true means that a look inside is worth its cost. */
export async function mayHaveFailedItems(
  { services }: Context,
  { workflow_id, data_version, called }: RunRow,
): Promise<boolean> {
  const pins = [[workflow_id, data_version] as const, ...(called ?? [])]
  for (const [id, version] of pins) {
    const graph = await findGraph(services.db, id, version)
    if (graph?.text.includes('"onItemError"')) return true
  }
  return false
}

/** Whether a call was made by a node that an item which failed had an effect on. */
export function behindFailedItems(run: ReconstructedRun): (step: Pick<Step, 'path'>) => boolean {
  const behind = new Set<string>()
  const seen = new Set<string>()
  for (const [path, { state }] of run.nodes) {
    if (state !== 'FAILED' || !path.endsWith(']')) continue
    // All items of a list have the same nodes behind them.
    const list = path.slice(0, path.lastIndexOf('['))
    if (seen.has(list)) continue
    seen.add(list)
    for (const one of pathsBehind(run, list)) behind.add(one)
  }
  if (behind.size === 0) return () => false
  return ({ path }) => ancestorsOf(path).some((one) => behind.has(one))
}

/** `a/b[3]#0` is inside `a`, `a/b` and `a/b[3]`. */
function ancestorsOf(path: string): string[] {
  const ends = [...path.matchAll(/[/[#]/g)].map(({ index }) => index)
  return ends.map((end) => path.slice(0, end))
}

/** At each level of a path: the nodes after the one it names, and the later passes of a loop. */
function* pathsBehind({ plan, called }: ReconstructedRun, path: string): Generator<string> {
  let level: Plan | undefined = plan
  let under = ''
  for (const part of path.split('/')) {
    const [id = '', ...items] = part.split('[')
    const node: PlanNode | undefined = level?.nodes.find((one) => one.id === id)
    if (!level || !node) return
    for (const later of nodesAfter(level, node)) yield under + later.id
    let at: string = under + id
    let step: { type: string; data: Config } = { type: node.typeName, data: node.config }
    for (const item of items.map((text) => Number.parseInt(text, 10))) {
      if (step.type === 'flow.repeat') yield* laterPasses(at, item)
      at += `[${item}]`
      step = findNodeType(step.type)?.step?.(step.data) ?? step
    }
    const target: number | null = findNodeType(step.type)?.calls?.(step.data) ?? null
    level = target === null ? undefined : called.get(target)?.plan
    under = `${at}/`
  }
}

const mostPasses = 100

function* laterPasses(path: string, pass: number): Generator<string> {
  for (let later = pass + 1; later < mostPasses; later++) yield `${path}[${later}]`
}

function nodesAfter(plan: Plan, first: PlanNode): PlanNode[] {
  const found = new Set(first.targets)
  // Iterating over a Set also visits the members added meanwhile.
  for (const index of found) for (const next of plan.nodes[index]?.targets ?? []) found.add(next)
  return [...found].flatMap((index) => plan.nodes[index] ?? [])
}
