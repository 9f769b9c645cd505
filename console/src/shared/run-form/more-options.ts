// The fields under More: a cost limit, a deadline, where to send the outcome, and the caller's own notes.
import { readJson } from './inputs.ts'

export type MoreEntries = {
  readonly maxCost: string
  /** As a field of type datetime-local has it, in the zone of the browser. */
  readonly deadline: string
  readonly callbackUrl: string
  readonly metadata: string
}
export const noMore: MoreEntries = { maxCost: '', deadline: '', callbackUrl: '', metadata: '' }

export type MoreOptions = {
  maxCost?: number
  lane?: 'economy'
  deadlineAt?: string
  callbackUrl?: string
  metadata?: Record<string, unknown>
}

export function readMore(entries: MoreEntries, nowMs = Date.now()) {
  const options: MoreOptions = {}
  const problems: Partial<Record<keyof MoreEntries, string>> = {}
  const cost = entries.maxCost.trim()
  if (cost !== '') {
    const value = Number(cost)
    if (Number.isFinite(value) && value >= 0 && value <= 1_000_000) options.maxCost = value
    else problems.maxCost = 'Enter an amount from 0 to 1,000,000.'
  }
  if (entries.deadline !== '') {
    const atMs = Date.parse(entries.deadline)
    if (atMs > nowMs) {
      options.lane = 'economy'
      options.deadlineAt = new Date(atMs).toISOString()
    } else problems.deadline = 'Enter a time in the future.'
  }
  const url = entries.callbackUrl.trim()
  if (url !== '') {
    if (/^https?:/.test(url) && URL.canParse(url)) options.callbackUrl = url
    else problems.callbackUrl = 'Enter an http(s) address.'
  }
  const metadata = readJson(entries.metadata)
  if (metadata && 'problem' in metadata) problems.metadata = metadata.problem
  else if (metadata && !isRecord(metadata.value)) problems.metadata = 'Enter a JSON object.'
  else if (metadata) options.metadata = metadata.value as Record<string, unknown>
  return { options, problems }
}

const isRecord = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
