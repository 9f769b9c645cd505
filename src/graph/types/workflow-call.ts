import { Type } from '#core/schema.ts'
import { inside } from '../node/estimate-reuse.ts'
import { type NodeReuse, ReuseSetting } from '../node/node-reuse.ts'
import { type Config as Data, defineNode } from '../node/node-type.ts'

type Config = { workflowId: number; reuse?: NodeReuse }

/** Of the node itself, and so no values for inputs of the called workflow. */
const ownSettings: readonly string[] = ['workflowId', 'label', 'reuse']

const targetOf = ({ workflowId }: Data): number | null =>
  typeof workflowId === 'number' && Number.isSafeInteger(workflowId) && workflowId >= 1
    ? workflowId
    : null

export const workflowCall = defineNode<Config>({
  type: 'workflow.call',
  canvas: {
    label: 'Call workflow',
    group: 'connect',
    icon: 'workflow',
    help: 'Runs another workflow of yours. Its inputs and outputs become the ports.',
  },
  config: Type.Object({
    workflowId: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      title: 'Workflow',
      description: 'Identifier of the workflow to call.',
    }),
    reuse: ReuseSetting,
  }),
  pure: false,
  portsDependOn: ['workflowId'],
  ports(data, calls) {
    const target = targetOf(data)
    return target === null ? null : (calls(target) ?? null)
  },
  calls: targetOf,
  fill: (data, port) =>
    ownSettings.includes(port) || !Object.hasOwn(data, port) ? undefined : data[port],
  estimate: ({ config: { workflowId, reuse }, inputs, env }) =>
    env.callWorkflow(workflowId, inputs.ports, inside(env.reuse, { settings: reuse })),
  execute: (context, { ports }, { workflowId }) => context.callWorkflow(workflowId, ports),
})
