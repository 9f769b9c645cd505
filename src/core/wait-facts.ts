// What a run can wait for, and how a wait ends. A wait is stored as a row and a step; whoever closes
// it locks the row of the run first, so that one of several wins.
import type { VerifyConfig } from './verify-config.ts'

/** DELAY: a time. APPROVAL: a person. CALLBACK: a message from outside. */
export const waitKinds = ['DELAY', 'APPROVAL', 'CALLBACK'] as const
export type WaitKind = (typeof waitKinds)[number]
/** BATCH: the answer of a vendor that takes its time. Nobody else answers it, so nobody sees it. */
export type StoredWaitKind = WaitKind | 'BATCH'

/** PASSED: the time of a delay has come. EXPIRED: nobody answered in time. */
export type WaitStatus = 'OPEN' | 'ANSWERED' | 'PASSED' | 'EXPIRED' | 'CANCELLED'

/** What the settings of the node say about who may answer, and how. */
export type WaitDetails = {
  description?: string | undefined
  /** JSON Schema of `response`: a closed object. */
  form?: object | undefined
  mayEdit?: boolean | undefined
  /** E-mail addresses; every editor if empty. */
  approvers?: readonly string[] | undefined
  fourEyes?: boolean | undefined
  link?: boolean | undefined
  /** JSON Schema of the body of a callback. */
  schema?: object | undefined
  /** How the sender of a callback proves who it is. */
  verify?: VerifyConfig | undefined
}

/** What a person or a machine answered. */
export type WaitAnswer = {
  decision?: 'approve' | 'reject'
  /** What the form asked for, or the body of a callback. */
  response?: unknown
  /** Replaces the value, if the wait allows that. */
  value?: unknown
  comment?: string
  /** Identifies what was sent, if something else is stored of it. */
  sent?: string
}
