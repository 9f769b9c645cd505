// The nodes of a run and what is inside them, by path: list items and nodes of called workflows.
import { toRfc3339 } from '#core/clock.ts'
import { money } from '#core/money.ts'
import type { NodeStatus } from '#core/run-nodes.ts'
import type { Step } from '#core/step-states.ts'
import type { Plan } from '#graph/plan/plan.ts'
import { findNodeType } from '#graph/types/table.ts'
import type { RunRow } from '#store/tables/runs.ts'
import type { ReconstructedRun } from './run-services.ts'

/** A node, an item of a list, or a node of a called workflow. */
export type Inside = {
  path: string
  type: string
  label: string | null
  /** A node of the run's own graph. */
  isRoot: boolean
  config: Readonly<Record<string, unknown>>
}

const segment = /^([A-Za-z0-9_-]{1,64})((?:\[(?:0|[1-9]\d{0,4})\])*)$/
const maxChildren = 200

/** Null if the graphs of the run have no such path. */
export function findInside(run: ReconstructedRun, path: string): Inside | null {
  let plan: Plan | undefined = run.plan
  let found: Inside | null = null
  for (const part of path.split('/')) {
    const [, id, items = ''] = segment.exec(part) ?? []
    const node = plan?.nodes.find((one) => one.id === id)
    if (!node) return null
    const at: string = found ? `${found.path}/${node.id}` : node.id
    found = toInside(node, at, found === null)
    for (const item of items.match(/\[\d+\]/g) ?? []) found = found && itemOf(found, item)
    if (!found) return null
    plan = calledBy(run, found)
  }
  return found
}

const toInside = (node: Plan['nodes'][number], path: string, isRoot: boolean): Inside => ({
  path,
  type: node.typeName,
  label: node.label,
  isRoot,
  config: node.config,
})

export function itemOf({ path, type, config }: Inside, item: string): Inside | null {
  const step = findNodeType(type)?.step?.(config)
  if (!step) return null
  const inner = { type: step.type, config: step.data }
  return { path: path + item, label: null, isRoot: false, ...inner }
}

export const isLoop = (type: string) => findNodeType(type)?.step !== undefined

const calledBy = ({ called }: ReconstructedRun, { type, config }: Inside): Plan | undefined => {
  const target = isLoop(type) ? null : findNodeType(type)?.calls?.(config)
  return target ? called.get(target)?.plan : undefined
}

/** The known items of a list, or the nodes of a called workflow. */
export function childrenOf(
  run: ReconstructedRun,
  inside: Inside,
  steps: Iterable<string>,
): Inside[] {
  if (!isLoop(inside.type)) {
    const nodes = calledBy(run, inside)?.nodes ?? []
    return nodes.map((node) => toInside(node, `${inside.path}/${node.id}`, false))
  }
  const count = Math.min(countItems(run, inside, steps), maxChildren)
  return Array.from({ length: count }, (_, index) => itemOf(inside, `[${index}]`)).filter(
    (item) => item !== null,
  )
}

export function countItems(run: ReconstructedRun, inside: Inside, steps: Iterable<string>): number {
  const items = run.inputs?.items
  // If the list was refused for its length, none of its items has been processed.
  const isRefused = run.nodes.get(inside.path)?.error?.code === 'ITEM_LIMIT'
  let count = Array.isArray(items) && !isRefused ? items.length : 0
  for (const path of [...run.nodes.keys(), ...steps]) {
    if (!path.startsWith(`${inside.path}[`)) continue
    count = Math.max(count, Number.parseInt(path.slice(inside.path.length + 1), 10) + 1)
  }
  return count
}

export const stepsUnder = (path: string, steps: readonly Step[]): Step[] =>
  steps.filter(
    (step) => step.path.startsWith(path) && '#[/'.includes(step.path[path.length] ?? ' '),
  )

/** The steps inside each child, by its path. */
export const stepsByChild = (path: string, steps: readonly Step[]): Map<string, Step[]> =>
  Map.groupBy(steps, (step) => {
    const [child = ''] = /^(?:\[\d+\]|\/[A-Za-z0-9_-]+)/.exec(step.path.slice(path.length)) ?? []
    return path + child
  })

export function innerRecord(
  row: RunRow,
  run: ReconstructedRun,
  inside: Inside,
  steps: readonly Step[],
) {
  const status = statusOf(row, run, inside.path, steps)
  const starts = steps.map((step) => step.started_at)
  const ends = steps.map((step) => step.ended_at ?? 0)
  const hasEnded = status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED'
  const costs = steps.flatMap(({ cost_micros }) => (cost_micros === null ? [] : [cost_micros]))
  return {
    path: inside.path,
    type: inside.type,
    label: inside.label,
    status,
    attempts: Math.max(0, ...steps.map((step) => step.attempts)),
    startedAt: starts.length === 0 ? null : toRfc3339(Math.min(...starts)),
    completedAt: hasEnded && ends.some((at) => at > 0) ? toRfc3339(Math.max(...ends)) : null,
    cost: costs.length === 0 ? null : money(costs.reduce((sum, cost) => sum + cost, 0)),
    error: run.nodes.get(inside.path)?.error ?? null,
  }
}

function statusOf(
  row: RunRow,
  run: ReconstructedRun,
  path: string,
  steps: readonly Step[],
): NodeStatus {
  const state = run.nodes.get(path)?.state ?? 'UNKNOWN'
  if (state !== 'UNKNOWN') return state
  if (row.completed_at !== null) return 'CANCELLED'
  if (steps.length === 0) return 'PENDING'
  const begun = steps.filter((step) => step.status === 'STARTED')
  const onlyWaits = begun.length > 0 && begun.every((step) => step.kind === 'WAIT')
  return onlyWaits ? 'WAITING' : 'RUNNING'
}
