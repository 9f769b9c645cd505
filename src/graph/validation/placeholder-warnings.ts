// Warns about placeholders of which it is known before a run that they lead nowhere: a member of a
// text, or a name that nobody gives. What is known only at run time fails there, by name.
import { isRecord } from '#core/record.ts'
import type { PlaceholderText, PortType } from '../node/node-type.ts'
import { lookUp, placeholderPaths } from '../node/placeholders.ts'
import { member } from '../node/values.ts'
import type { Plan, PlanNode } from '../plan/plan.ts'
import type { GraphWarningCode, Problem } from './problems.ts'

type Known = { type: PortType } | { value: unknown }

/** An example of what these types carry. What has members is known only at run time. */
const examples: Partial<Record<PortType, unknown>> = { text: '', number: 0, boolean: true }

export function placeholderWarnings(plan: Plan): Problem<GraphWarningCode>[] {
  return plan.nodes.flatMap((node) => {
    if (plan.leftOut?.has(node.index)) return []
    const texts = node.type.placeholders?.(node.config) ?? []
    return texts.flatMap((text) =>
      [...new Set(problemsOf(plan, node, text))].map((problem) => ({
        code: 'UNRESOLVED_PLACEHOLDER' as const,
        path: `/nodes/${node.index}/data${text.path}`,
        message: `${problem} A run would fail here.`,
        nodeId: node.id,
      })),
    )
  })
}

function problemsOf(
  plan: Plan,
  node: PlanNode,
  { text, from, given = [] }: PlaceholderText,
): string[] {
  const members = from === undefined ? null : membersOf(knownAt(plan, node, from))
  return placeholderPaths(text).flatMap(({ path, name }) => {
    if (given.includes(name)) return []
    const values = from === undefined ? valuesOf(name, knownAt(plan, node, name)) : members
    const found = values && lookUp(values, path)
    return found && 'problem' in found ? [found.problem] : []
  })
}

/** Null if only a run knows. */
const membersOf = (known: Known): Record<string, unknown> | null => {
  if ('value' in known) return isRecord(known.value) ? known.value : {}
  return known.type in examples || known.type === 'list' ? {} : null
}

const valuesOf = (name: string, known: Known): Record<string, unknown> | null => {
  if ('value' in known) return { [name]: known.value }
  return known.type in examples ? { [name]: examples[known.type] } : null
}

function knownAt(plan: Plan, { wires, fills }: PlanNode, port: string): Known {
  const wire = wires.find((one) => one.port === port)
  const outputs = plan.nodes[wire?.source ?? -1]?.ports.outputs
  const type = outputs?.find(({ name }) => name === wire?.sourcePort)?.type
  return wire ? { type: type ?? 'any' } : { value: member(fills, port) ?? null }
}
