// Generated from the registry of operations by scripts/write-client-types.ts; do not edit.
import type { Money, RunStatus } from './shared-records.ts'

export type AnsweredWait = {
  /** Identifier of the wait. */
  waitId: string
  /** The run that waits. */
  runId: string
  status: WaitStatus
  answer: WaitAnswer
  /** True if you had sent this answer before. */
  idempotentReplay: boolean
}

export type Cancellation = {
  /** Identifier of the run. */
  runId: string
  status: RunStatus
  /** False if the run had already ended. */
  accepted: boolean
  cancelRequestedAt: string | null
  cancelReason: string | null
  /** A call already submitted to a provider may still finish and be billed. */
  inFlightTaskMayComplete: boolean
  /** Seconds to wait before the next poll; 0 once the status is terminal. */
  retryAfterSeconds: number
}

export type NodeError = {
  /** Empty if the run as a whole failed. */
  nodeId: string
  /** Type of the node; "run" if the run as a whole failed. */
  type: string
  /** See the reference of error codes. */
  code: string
  message: string
  /** True if a retry may succeed. */
  retryable: boolean
  /** RFC 3339, UTC. */
  at: string
}

export type NodeStatus =
  | 'PENDING'
  | 'RUNNING'
  | 'COMPLETED'
  | 'FAILED'
  | 'CANCELLED'
  | 'SKIPPED'
  | 'WAITING'

export type NormalPriceCalls = {
  nodeId: string
  model: string
  /** NO_BATCH: the model is not known to take batches. TOO_LATE: a batch could end after the deadline. REFUSED: the vendor did not take the batch. UNPROCESSED: the vendor returned the call without an answer. NO_FLEX: the flex tier of the vendor did not take it. */
  reason: 'NO_BATCH' | 'TOO_LATE' | 'REFUSED' | 'UNPROCESSED' | 'NO_FLEX'
  calls: number
}

export type RetryRequest = {
  /** same (default): the graph the run had. newest: the graph the workflow has now; nodes that are unchanged, with all that feeds them, are reused. */
  version?: 'same' | 'newest'
}

export type Run = {
  /** Identifier of the run. */
  runId: string
  /** Identifier of a workflow. */
  workflowId: number
  workflowName: string
  workflowVersion: number
  status: RunStatus
  /** RFC 3339, UTC. */
  createdAt: string
  startedAt: string | null
  completedAt: string | null
  /** Why a FAILED run failed: an error for each node that failed, or one of the run itself (nodeId "", type "run"), such as RUN_TIMEOUT or QUARANTINED. */
  nodeErrors: NodeError[]
  progress: {
    total: number
    completed: number
    skipped: number
    failed: number
  }
  cost: Money
  metadata: Record<string, unknown>
  callback: {
    /** Without its query. */
    url: string
    status: 'PENDING' | 'DELIVERED' | 'FAILED' | 'DISABLED'
    attempts: number
    lastStatusCode: number | null
  } | null
  cancelRequestedAt: string | null
  cancelReason: string | null
  /** A call already submitted to a provider may still finish and be billed. */
  inFlightTaskMayComplete: boolean
  /** Seconds to wait before the next poll; 0 once the status is terminal. */
  retryAfterSeconds: number
  /** Major units, at most 6 decimals. */
  maxCost?: number
  /** The run whose finished nodes this one reuses. */
  retryOf?: string
  savedCost?: Money
  /** The run takes over answers of earlier calls. */
  reuse?: 'exact'
  /** The nodes that the run was asked for, if not all. */
  targets?: string[]
  /** The nodes that were not executed, because their results were given. */
  pins?: Record<string, string>
  /** It ran a draft of this version, which was not saved. */
  isDraft?: true
  /** Text calls may wait for batches of their vendors. */
  lane?: 'economy'
  /** RFC 3339, UTC. */
  deadlineAt?: string
  outputs: Record<string, unknown> | null
  nodes: RunNode[]
  economy?: {
    /** Calls that are gathered for a batch. */
    queued: number
    /** Calls in a batch at their vendor. */
    submitted: number
    /** Calls that were answered in a batch. */
    batched: number
    /** Calls that were answered in the flex tier of their vendor. */
    flex: number
    /** Calls that went, or go, at the normal price, and why. */
    normal: NormalPriceCalls[]
  }
  /** What the run waits for: times, people, messages. Left out if there is nothing. */
  waitingFor?: RunWait[]
}

export type RunItem = {
  /** Position in the list, or number of the pass. */
  index: number
  /** Path of the item, such as write[3]. */
  path: string
  status: NodeStatus
  /** Of the call that needed most. */
  attempts: number
  startedAt: string | null
  completedAt: string | null
  cost: Money | null
  error: {
    code: string
    message: string
    retryable: boolean
  } | null
}

export type RunItemPage = {
  items: RunItem[]
  /** 1 if the list was read by cursor. */
  page: number
  size: number
  total: number
  totalPages: number
  next: string | null
}

export type RunNode = {
  nodeId: string
  type: string
  status: NodeStatus
  attempts: number
  startedAt: string | null
  completedAt: string | null
  /** The generation task of this node. */
  taskId?: string
  cost: Money | null
  /** ANSWER_CUT: the answer reached the output limit. Absent if there are none. */
  warnings?: {
    code: string
    message: string
  }[]
  /** How many items of lists inside it failed without it; listWorkflowRunItems. */
  failedItems?: number
  savedCost?: Money
  reusedFrom?: {
    /** The run whose answer was taken over. */
    runId: string
    nodeId: string
    /** RFC 3339, UTC. */
    at: string
  }
  waitReason?: {
    /** LANE: the limits of the provider key are used up. RATE_LIMIT: the provider asked to wait. BUDGET: calls in flight hold what is left of a spend limit. RETRY: the last attempt failed. */
    kind: 'LANE' | 'RATE_LIMIT' | 'BUDGET' | 'RETRY'
    /** The model that is to be called. */
    model?: string
    /** In the lane: 1 goes next. As the worker saw it when the call began to wait; calls of other processes are not counted. */
    position?: number
    /** RFC 3339, UTC. */
    since: string
    /** RFC 3339, UTC. */
    until?: string
  }
}

export type RunNodeDetail = {
  nodeId: string
  type: string
  status: NodeStatus
  attempts: number
  startedAt: string | null
  completedAt: string | null
  /** The generation task of this node. */
  taskId?: string
  cost: Money | null
  /** ANSWER_CUT: the answer reached the output limit. Absent if there are none. */
  warnings?: {
    code: string
    message: string
  }[]
  /** How many items of lists inside it failed without it; listWorkflowRunItems. */
  failedItems?: number
  savedCost?: Money
  reusedFrom?: {
    /** The run whose answer was taken over. */
    runId: string
    nodeId: string
    /** RFC 3339, UTC. */
    at: string
  }
  waitReason?: {
    /** LANE: the limits of the provider key are used up. RATE_LIMIT: the provider asked to wait. BUDGET: calls in flight hold what is left of a spend limit. RETRY: the last attempt failed. */
    kind: 'LANE' | 'RATE_LIMIT' | 'BUDGET' | 'RETRY'
    /** The model that is to be called. */
    model?: string
    /** In the lane: 1 goes next. As the worker saw it when the call began to wait; calls of other processes are not counted. */
    position?: number
    /** RFC 3339, UTC. */
    since: string
    /** RFC 3339, UTC. */
    until?: string
  }
  inputs: Record<string, unknown> | null
  outputs: Record<string, unknown> | null
  calls: {
    /** Path of the call: node, item, node of a called workflow. */
    path: string
    kind: 'TEXT' | 'MEDIA' | 'HTTP' | 'IMPORT' | 'WAIT'
    status: 'STARTED' | 'DONE' | 'FAILED'
    attempts: number
    /** RFC 3339, UTC. */
    startedAt: string
    completedAt: string | null
    /** The generation task. */
    taskId?: string
    cost: Money | null
    error: {
      code: string
      message: string
      retryable: boolean
    } | null
  }[]
  error: NodeError | null
}

export type RunPage = {
  items: RunSummary[]
  /** 1 if the list was read by cursor. */
  page: number
  size: number
  total: number
  totalPages: number
  next: string | null
}

export type RunSummary = {
  /** Identifier of the run. */
  runId: string
  /** Identifier of a workflow. */
  workflowId: number
  workflowName: string
  workflowVersion: number
  status: RunStatus
  /** RFC 3339, UTC. */
  createdAt: string
  startedAt: string | null
  completedAt: string | null
  /** Why a FAILED run failed: an error for each node that failed, or one of the run itself (nodeId "", type "run"), such as RUN_TIMEOUT or QUARANTINED. */
  nodeErrors: NodeError[]
  progress: {
    total: number
    completed: number
    skipped: number
    failed: number
  }
  cost: Money
  metadata: Record<string, unknown>
  callback: {
    /** Without its query. */
    url: string
    status: 'PENDING' | 'DELIVERED' | 'FAILED' | 'DISABLED'
    attempts: number
    lastStatusCode: number | null
  } | null
  cancelRequestedAt: string | null
  cancelReason: string | null
  /** A call already submitted to a provider may still finish and be billed. */
  inFlightTaskMayComplete: boolean
  /** Seconds to wait before the next poll; 0 once the status is terminal. */
  retryAfterSeconds: number
  /** Major units, at most 6 decimals. */
  maxCost?: number
  /** The run whose finished nodes this one reuses. */
  retryOf?: string
  savedCost?: Money
  /** The run takes over answers of earlier calls. */
  reuse?: 'exact'
  /** The nodes that the run was asked for, if not all. */
  targets?: string[]
  /** The nodes that were not executed, because their results were given. */
  pins?: Record<string, string>
  /** It ran a draft of this version, which was not saved. */
  isDraft?: true
  /** Text calls may wait for batches of their vendors. */
  lane?: 'economy'
  /** RFC 3339, UTC. */
  deadlineAt?: string
}

export type RunWait = {
  /** Identifier of the wait. */
  waitId: string
  /** The node of this workflow that waits. */
  nodeId: string
  /** Where exactly: item 2 of a list is node[2], a node of a called workflow node/id. */
  path: string
  /** A time, the decision of a person, or a message from another system. */
  kind: 'DELAY' | 'APPROVAL' | 'CALLBACK'
  /** What a person is asked; otherwise empty. */
  title: string
  /** RFC 3339, UTC. */
  since: string
  /** RFC 3339, UTC. */
  expiresAt: string
  /** Where somebody without an account answers; only for credentials with the scope waits:answer. */
  url?: string
}

export type SubmittedRun = {
  /** Identifier of the run. */
  runId: string
  /** Identifier of a workflow. */
  workflowId: number
  status: RunStatus
  /** RFC 3339, UTC. */
  createdAt: string
  idempotentReplay: boolean
  /** Seconds to wait before the next poll; 0 once the status is terminal. */
  retryAfterSeconds: number
}

export type Wait = {
  /** Identifier of the wait. */
  waitId: string
  /** The run that waits. */
  runId: string
  /** Identifier of a workflow. */
  workflowId: number
  workflowName: string
  /** The node that waits. */
  nodeId: string
  /** Its position in the run: node, item, called workflow. */
  path: string
  kind: 'DELAY' | 'APPROVAL' | 'CALLBACK'
  status: WaitStatus
  title: string
  description: string | null
  /** RFC 3339, UTC. */
  since: string
  /** RFC 3339, UTC. */
  expiresAt: string
  /** Whether you are one of those who may decide. */
  mayAnswer: boolean
  /** Of the run so far. */
  cost: Money
  /** The page or address by which somebody without an account answers; only for those who may answer. */
  url?: string
  /** What the node received and passes on. */
  value: unknown
  form: Record<string, unknown> | null
  /** Whether the answer may replace the value. */
  mayEdit: boolean
  /** E-mail addresses; empty: every editor. */
  approvers: string[]
  /** Whoever started the run may not answer. */
  fourEyes: boolean
  answer: WaitAnswer | null
}

export type WaitAnswer = {
  decision?: 'approve' | 'reject'
  /** Any JSON value. */
  response?: unknown
  /** What replaced the value. */
  value?: unknown
  comment?: string
  by: WaitAnswerer
  /** RFC 3339, UTC. */
  at: string
  from: string | null
}

export type WaitAnswerInput = {
  decision: 'approve' | 'reject'
  /** What the form asks for. May be left out to reject. */
  response?: Record<string, unknown>
  /** Replaces the value, if the node allows that. */
  value?: unknown
  comment?: string
}

export type WaitAnswerer = {
  /** link: the page for people without an account. sender: a machine that sent a callback. */
  kind: 'person' | 'key' | 'token' | 'link' | 'sender'
  id: string | null
  name: string | null
}

export type WaitPage = {
  items: WaitSummary[]
  next: string | null
  /** How many match in all; 100 means 100 or more. */
  count: number
}

export type WaitStatus = 'OPEN' | 'ANSWERED' | 'PASSED' | 'EXPIRED' | 'CANCELLED'

export type WaitSummary = {
  /** Identifier of the wait. */
  waitId: string
  /** The run that waits. */
  runId: string
  /** Identifier of a workflow. */
  workflowId: number
  workflowName: string
  /** The node that waits. */
  nodeId: string
  /** Its position in the run: node, item, called workflow. */
  path: string
  kind: 'DELAY' | 'APPROVAL' | 'CALLBACK'
  status: WaitStatus
  title: string
  description: string | null
  /** RFC 3339, UTC. */
  since: string
  /** RFC 3339, UTC. */
  expiresAt: string
  /** Whether you are one of those who may decide. */
  mayAnswer: boolean
  /** Of the run so far. */
  cost: Money
  /** The page or address by which somebody without an account answers; only for those who may answer. */
  url?: string
}
