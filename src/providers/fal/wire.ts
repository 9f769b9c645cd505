import { isRecord } from '#core/record.ts'

export type FalInput = Record<string, string | number | boolean | string[]>

export type Queued = {
  request_id: string
  status_url: string
  response_url: string
  cancel_url: string
}

type QueueStatus = { status: 'IN_QUEUE' | 'IN_PROGRESS' | 'COMPLETED' }

export const isQueued = (value: unknown): value is Queued =>
  isRecord(value) &&
  typeof value.request_id === 'string' &&
  value.request_id !== '' &&
  typeof value.status_url === 'string' &&
  typeof value.response_url === 'string' &&
  typeof value.cancel_url === 'string'

export const isQueueStatus = (value: unknown): value is QueueStatus =>
  isRecord(value) &&
  (value.status === 'IN_QUEUE' || value.status === 'IN_PROGRESS' || value.status === 'COMPLETED')
