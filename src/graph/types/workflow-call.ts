import { Type } from '#core/schema.ts'
import { type Config as Data, defineNode } from '../node/node-type.ts'

type Config = { workflowId: number }

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
  }),
  pure: false,
  portsDependOn: ['workflowId'],
  ports(data, calls) {
    const target = targetOf(data)
    return target === null ? null : (calls(target) ?? null)
  },
  calls: targetOf,
  // The node's own settings are not values for inputs of the called workflow.
  fill: (data, port) =>
    port === 'workflowId' || port === 'label' || !Object.hasOwn(data, port)
      ? undefined
      : data[port],
  estimate: ({ config, inputs, env }) =>
    env.callWorkflow(config.workflowId, inputs.ports, env.reuse),
  execute: (context, { ports }, { workflowId }) => context.callWorkflow(workflowId, ports),
})
