// Generated from the registry of operations by scripts/write-client-types.ts; do not edit.
import type { RunStatus } from './shared-records.ts'

export type DeletedTrigger = {
  /** Identifier of a trigger. */
  triggerId: string
  deleted: true
}

export type Firing = {
  /** Identifier of the firing. */
  firingId: string
  /** Identifier of a trigger. */
  triggerId: string
  /** RFC 3339, UTC. */
  scheduledAt: string
  /** RFC 3339, UTC. */
  firedAt: string
  /** STARTED has a run, SKIPPED has a reason; the others will become one of these. */
  status: 'PENDING' | 'QUEUED' | 'STARTED' | 'SKIPPED'
  reason:
    | 'SKIPPED_OVERLAP'
    | 'MISSED'
    | 'PAUSED'
    | 'BUDGET'
    | 'INVALID_INPUT'
    | 'NO_VERSION'
    | 'QUOTA'
    | null
  message: string | null
  /** Occurrences that this stands for. */
  count: number
  runId: string | null
  runStatus: RunStatus | null
  /** The run sleeps until a time, an answer or a message. */
  runIsWaiting?: true
}

export type FiringList = {
  items: Firing[]
  next: string | null
}

export type NewTrigger = {
  /** 1 to 200 characters on one line; surrounding white space is removed. */
  name: string
  kind: 'SCHEDULE' | 'ONCE' | 'WEBHOOK'
  enabled?: boolean
  /** `latest`, or the number of a saved version. */
  version?: number | string
  /** Of each run, keyed by input node ID. */
  inputs?: Record<string, unknown>
  mapping?: string | null
  maxCost?: number | null
  tag?: string | null
  economySeconds?: number | null
  callbackUrl?: string | null
  /** Of each run. */
  metadata?: Record<string, unknown>
  /** If a run of this trigger has not ended: `allow` starts another, `skip` none, `queue` starts it afterwards. */
  overlap?: 'allow' | 'skip' | 'queue'
  /** Occurrences more than a minute late, because no process was running: none, the last, or the newest hundred are made up for. */
  catchUp?: 'none' | 'last' | 'all'
  /** Pauses after so many failed runs in a row. */
  pauseAfterFailures?: number
  cron?: string | null
  timeZone?: string | null
  everySeconds?: number | null
  startAt?: string | null
  endAt?: string | null
  jitterSeconds?: number | null
  at?: string | null
  verify?: TriggerVerify | null
  dedupe?:
    | {
        header: string
      }
    | {
        expression: string
      }
    | null
  respond?: 'accepted' | 'result' | null
}

export type Trigger = {
  /** Identifier of a trigger. */
  triggerId: string
  /** Identifier of a workflow. */
  workflowId: number
  /** In lists. */
  workflowName?: string
  name: string
  kind: 'SCHEDULE' | 'ONCE' | 'WEBHOOK'
  enabled: boolean
  /** `latest`, or the number of a saved version. */
  version: number | string
  inputs: Record<string, unknown>
  mapping: string | null
  maxCost: number | null
  tag: string | null
  economySeconds: number | null
  callbackUrl: string | null
  metadata: Record<string, unknown>
  /** If a run of this trigger has not ended: `allow` starts another, `skip` none, `queue` starts it afterwards. */
  overlap: 'allow' | 'skip' | 'queue'
  /** Occurrences more than a minute late, because no process was running: none, the last, or the newest hundred are made up for. */
  catchUp: 'none' | 'last' | 'all'
  /** Pauses after so many failed runs in a row. */
  pauseAfterFailures: number
  cron: string | null
  timeZone: string | null
  everySeconds: number | null
  startAt: string | null
  endAt: string | null
  jitterSeconds: number | null
  at: string | null
  verify: TriggerVerify | null
  dedupe:
    | {
        header: string
      }
    | {
        expression: string
      }
    | null
  respond: 'accepted' | 'result' | null
  url: string | null
  paused: {
    reason: 'FAILURES' | 'KEY_REVOKED' | 'MEMBER_LEFT' | 'RESTORED'
    /** RFC 3339, UTC. */
    since: string
  } | null
  words: string | null
  /** Runs in a row that failed. */
  failures: number
  /** The next five, if it is on. */
  nextFirings: string[]
  lastFiring: Firing | null
  /** RFC 3339, UTC. */
  createdAt: string
  /** RFC 3339, UTC. */
  updatedAt: string
}

export type TriggerList = {
  items: Trigger[]
  next: string | null
}

export type TriggerPatch = {
  /** 1 to 200 characters on one line; surrounding white space is removed. */
  name?: string
  /** Cannot be changed. */
  kind?: 'SCHEDULE' | 'ONCE' | 'WEBHOOK'
  enabled?: boolean
  /** `latest`, or the number of a saved version. */
  version?: number | string
  /** Of each run, keyed by input node ID. */
  inputs?: Record<string, unknown>
  mapping?: string | null
  maxCost?: number | null
  tag?: string | null
  economySeconds?: number | null
  callbackUrl?: string | null
  /** Of each run. */
  metadata?: Record<string, unknown>
  /** If a run of this trigger has not ended: `allow` starts another, `skip` none, `queue` starts it afterwards. */
  overlap?: 'allow' | 'skip' | 'queue'
  /** Occurrences more than a minute late, because no process was running: none, the last, or the newest hundred are made up for. */
  catchUp?: 'none' | 'last' | 'all'
  /** Pauses after so many failed runs in a row. */
  pauseAfterFailures?: number
  cron?: string | null
  timeZone?: string | null
  everySeconds?: number | null
  startAt?: string | null
  endAt?: string | null
  jitterSeconds?: number | null
  at?: string | null
  verify?: TriggerVerify | null
  dedupe?:
    | {
        header: string
      }
    | {
        expression: string
      }
    | null
  respond?: 'accepted' | 'result' | null
  /** WEBHOOK: replaces the address. The old one stops working at once. */
  newUrl?: boolean
}

export type TriggerVerify = {
  /** How the sender signs its requests. */
  method: 'none' | 'standard-webhooks' | 'github' | 'stripe' | 'slack' | 'hmac' | 'bearer'
  /** The stored credentials with the secret: two while you replace it. */
  credentials?: string[]
  /** hmac: the header with the signature. */
  header?: string
  /** hmac */
  algorithm?: 'sha1' | 'sha256' | 'sha512'
  /** hmac */
  encoding?: 'hex' | 'base64'
  /** hmac: stands before the signature: sha256= */
  prefix?: string
  /** hmac: the header with the time in seconds since 1970. The signature is then of the time, a dot and the body. */
  timestampHeader?: string
  /** How old, or how far ahead, a signed time may be. */
  toleranceSeconds?: number
}
