// What differs between two runs: inputs, results of nodes, time and cost. Pure.
import { sameJson } from '#console/canvas/equal.ts'
import type { RunState } from './run-state.ts'
import { isSameIn, type ShownRun } from './shown-run.ts'

export type ValueDifference = { readonly id: string; readonly a: unknown; readonly b: unknown }

export type RunDifference = {
  readonly inputs: readonly ValueDifference[]
  readonly outputs: readonly ValueDifference[]
  /** Nodes whose results differ, or that only one of them has. */
  readonly nodes: readonly string[]
  readonly tookMs: readonly [number | null, number | null]
  readonly cost: readonly [number, number]
}

export function differencesOf(a: ShownRun, b: ShownRun): RunDifference {
  const ids = new Set([...Object.keys(a.previews), ...Object.keys(b.previews)])
  return {
    inputs: differing(a.state.inputs, b.state.inputs),
    outputs: differing(a.state.outputs ?? {}, b.state.outputs ?? {}),
    nodes: [...ids].filter((id) => isSameIn(a, b, id) !== true),
    tookMs: [tookMs(a.state), tookMs(b.state)],
    cost: [a.state.run.cost.amount, b.state.run.cost.amount],
  }
}

type Values = Readonly<Record<string, unknown>>

const differing = (a: Values, b: Values): ValueDifference[] =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .filter((id) => !sameJson(unsigned(a[id]), unsigned(b[id])))
    .map((id) => ({ id, a: a[id], b: b[id] }))

/** Addresses of media carry a signature that differs each time they are read. */
function unsigned(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/(\/media\/[^?]*)\?.*$/s, '$1')
  if (Array.isArray(value)) return value.map(unsigned)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, unsigned(one)]))
}

function tookMs({ run: { startedAt, completedAt } }: RunState): number | null {
  return startedAt && completedAt ? Date.parse(completedAt) - Date.parse(startedAt) : null
}
