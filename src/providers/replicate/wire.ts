import { isRecord } from '#core/record.ts'
import { isPathId } from '#providers/json-shape.ts'

export type PredictionInput = Record<string, string | number | boolean | string[]>

export type Prediction = {
  id: string
  status: 'starting' | 'processing' | 'succeeded' | 'failed' | 'canceled' | 'aborted'
  model?: unknown
  input?: unknown
  output?: unknown
  error?: unknown
  created_at?: unknown
}

const statuses = ['starting', 'processing', 'succeeded', 'failed', 'canceled', 'aborted']

export const isPrediction = (value: unknown): value is Prediction =>
  isRecord(value) &&
  isPathId(value.id) &&
  typeof value.status === 'string' &&
  statuses.includes(value.status)

type PredictionPage = { results: unknown[]; next?: unknown }

export const isPredictionPage = (value: unknown): value is PredictionPage =>
  isRecord(value) && Array.isArray(value.results)
