// Runs a plan step by step in memory, by the rules of the contract: enough to test nodes.

import { Activity } from '#engine/runs/activity.ts'
import { NodeFailure } from '#graph/node/node-failure.ts'
import type { NodeExecution } from '#graph/node/node-type.ts'
import { type Plan, startValue } from '#graph/plan/plan.ts'
import { findNodeType } from '#graph/types/table.ts'

export const media = (url: string, mimeType = 'image/png') => ({ url, mimeType, sizeBytes: 1 })

const unexpected = (name: string) => () => {
  throw new NodeFailure('INTERNAL_ERROR', `${name} is not expected here`)
}

/** What executing a plan needs besides; nothing here waits or sleeps. */
export const wakeful = () => ({
  activity: new Activity(() => {}),
  values: { under: '', before: new Map(), now: new Set<never>(), loops: new Map() },
})

/** Services that refuse everything except what a test passes in. */
export function execution(services: Partial<NodeExecution> = {}): NodeExecution {
  const context: NodeExecution = {
    throwIfEnding: () => {},
    generateText: unexpected('generateText'),
    createMediaTask: unexpected('createMediaTask'),
    httpRequest: unexpected('httpRequest'),
    evaluateExpression: unexpected('evaluateExpression'),
    callWorkflow: unexpected('callWorkflow'),
    importMedia: async (url, kind) => media(url, `${kind}/any`),
    forItem: async (_item, execute) => execute(context),
    passedBefore: () => undefined,
    notePassed: () => {},
    noteItems: () => {},
    wait: unexpected('wait'),
    hold: () => undefined,
    dropHeld: () => {},
    nodeType: findNodeType,
    calls: () => undefined,
    ...services,
  }
  return context
}

/** The outputs of a run. A node that could not run is skipped with everything that needs it. */
export async function runPlan(
  plan: Plan,
  inputs: Record<string, unknown>,
  services: Partial<NodeExecution>,
): Promise<Record<string, unknown>> {
  const context = execution(services)
  const done = new Map<number, Record<string, unknown>>()
  for (const index of plan.order) {
    const node = plan.nodes[index]
    if (!node?.type.execute) continue
    const wired = node.wires.map((wire) => ({
      ...wire,
      id: plan.nodes[wire.source]?.id ?? '',
      outputs: done.get(wire.source),
    }))
    const active = wired.filter(({ outputs, sourcePort }) => outputs && sourcePort in outputs)
    const isMerge = node.ports.inputs.some((port) => port.multi)
    if (isMerge ? wired.length > 0 && active.length === 0 : active.length < wired.length) continue
    const values = active.map(({ port, id, outputs, sourcePort }) => ({
      port,
      source: id,
      value: outputs?.[sourcePort],
    }))
    const ports = {
      ...node.fills,
      ...(node.type.inputSchema ? { value: startValue(node, inputs) } : {}),
      ...(isMerge ? {} : Object.fromEntries(values.map(({ port, value }) => [port, value]))),
    }
    done.set(
      index,
      await node.type.execute(context, { ports, merged: isMerge ? values : [] }, node.config),
    )
  }
  const results: Record<string, unknown> = {}
  for (const { key, node, fields } of plan.results) {
    const outputs = done.get(node)
    if (!outputs) continue
    const [only] = fields
    if (fields.length > 1) results[key] = outputs
    else if (only && only.name in outputs) results[key] = outputs[only.name]
  }
  return results
}
