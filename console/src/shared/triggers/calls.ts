// Every call of this screen, with its address and shape.
import { publicCall } from '#console/api/public-api.ts'
import type {
  Firing,
  FiringList,
  NewTrigger,
  Trigger,
  TriggerList,
  TriggerPatch,
} from '#console/api/types.ts'

const at = ({ workflowId, triggerId }: Pick<Trigger, 'workflowId' | 'triggerId'>) =>
  `/workflows/${workflowId}/triggers/${triggerId}`

export const listTriggers = (workflow: string | undefined, signal: AbortSignal) =>
  publicCall<TriggerList>(
    `${workflow === undefined ? '' : `/workflows/${workflow}`}/triggers?size=200`,
    { signal },
  )

export const createTrigger = (workflowId: string, body: NewTrigger) =>
  publicCall<Trigger>(`/workflows/${workflowId}/triggers`, { method: 'POST', body })

export const changeTrigger = (trigger: Trigger, body: TriggerPatch) =>
  publicCall<Trigger>(at(trigger), { method: 'PUT', body })

export const deleteTrigger = (trigger: Trigger) =>
  publicCall<unknown>(at(trigger), { method: 'DELETE' })

export const fireTrigger = (trigger: Trigger) =>
  publicCall<Firing>(`${at(trigger)}/fire`, { method: 'POST' })

export const listFirings = (trigger: Trigger, signal: AbortSignal) =>
  publicCall<FiringList>(`${at(trigger)}/firings?size=50`, { signal })
