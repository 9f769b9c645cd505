// Written from the registries by scripts/write-console-types.ts; never by hand.
import type { Media, Model, TaskStatus } from '#client/generation-records.ts'
import type {
  AnsweredWait,
  NodeError,
  NodeStatus,
  RunItemPage,
  RunNode,
  Wait,
  WaitAnswerer,
  WaitAnswerInput,
  WaitPage,
  WaitStatus,
} from '#client/run-records.ts'
import type { Money, RunStatus } from '#client/shared-records.ts'
import type { Graph, Validation, WorkflowTemplateList } from '#client/workflow-records.ts'

export type { ErrorCode } from '#client/error-codes.ts'
export type * from '#client/generation-records.ts'
export type * from '#client/run-records.ts'
export type * from '#client/shared-records.ts'
export type * from '#client/trigger-records.ts'
export type * from '#client/workflow-records.ts'

export type Account = {
  /** Identifier of the account. */
  id: string
  /** 1 to 100 characters on one line; surrounding white space is removed. */
  name: string
  spendLimit: number | null
  /** RFC 3339, UTC. */
  createdAt: string
}

export type AccountWebhook = {
  url: string | null
}

export type ApiKey = {
  /** Identifier of the key. */
  id: string
  userId: string | null
  /** 1 to 100 characters on one line; surrounding white space is removed. */
  name: string
  /** First 9 and last 4 characters. */
  display: string
  scopes: Scope[]
  limits: KeyLimits
  /** RFC 3339, UTC. */
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
  revokedAt: string | null
}

export type AuditEntry = {
  /** Identifier of the entry. */
  id: string
  /** RFC 3339, UTC. */
  at: string
  actor: {
    kind: 'user' | 'key' | 'server'
    id: string | null
    name: string | null
  }
  action:
    | 'account.created'
    | 'account.set-up'
    | 'member.joined'
    | 'sign-in'
    | 'sign-in.failed'
    | 'sign-in.limited'
    | 'sign-out'
    | 'session.ended'
    | 'password.changed'
    | 'two-step.started'
    | 'two-step.on'
    | 'two-step.off'
    | 'recovery-codes.renewed'
    | 'token.minted'
    | 'key.created'
    | 'key.changed'
    | 'key.revoked'
    | 'member.changed'
    | 'member.removed'
    | 'member.two-step-reset'
    | 'invitation.created'
    | 'invitation.withdrawn'
    | 'recovery-link.created'
    | 'app.connected'
    | 'app.disconnected'
    | 'app.token-reused'
    | 'account.changed'
    | 'account.switched'
    | 'models.added'
    | 'stand-in-price.changed'
    | 'route.changed'
    | 'route.deleted'
    | 'budget.changed'
    | 'budget.raised'
    | 'default-tag.changed'
    | 'call.settled'
    | 'credential.created'
    | 'credential.replaced'
    | 'credential.deleted'
    | 'webhook-secret.read'
    | 'webhook-secret.rotated'
    | 'webhook.tested'
    | 'webhook.redelivered'
    | 'webhook.changed'
    | 'workflow.created'
    | 'workflow.changed'
    | 'workflow.deleted'
    | 'version.noted'
    | 'wait.answered'
    | 'trigger.created'
    | 'trigger.changed'
    | 'trigger.deleted'
    | 'trigger.fired'
    | 'media.uploaded'
    | 'media.deleted'
    | 'audit.exported'
    | 'secret-key.replaced'
  target: string | null
  ipAddress: string | null
}

export type Budget = {
  scope: 'account' | 'tag' | 'key' | 'workflow'
  target: string | null
  name: string | null
  period: 'day' | 'month'
  /** What may be spent in the period, without the raise. */
  limit: Money
  raise: {
    amount: Money
    /** RFC 3339, UTC. */
    until: string
  } | null
  spent: Money
  /** What calls in flight and waiting tasks may cost. */
  reserved: Money
  left: Money
  /** RFC 3339, UTC. */
  resetsAt: string
}

export type Budgets = {
  items: Budget[]
  /** What calls with a key, and runs of a workflow, are counted under by default. */
  tags: {
    scope: 'key' | 'workflow'
    target: string
    tag: string
  }[]
}

export type BulkTasks = {
  action: 'star' | 'unstar' | 'delete'
  ids: string[]
}

export type BulkWorkflows = {
  /** `preview` changes nothing: it says what a deletion would end. */
  action: 'tag' | 'duplicate' | 'export' | 'preview' | 'delete'
  ids?: number[]
  /** All that match, without `ids`. */
  filter?: {
    /** Words that must all occur in the name, or in the labels, types or models of the nodes, ignoring case. */
    q?: string
    /** 1 to 40 characters on one line; surrounding white space is removed. */
    tag?: string
  }
  /** How many workflows this must be: the answer is 412 if the number has changed. */
  expectedCount: number
  addTags?: string[]
  removeTags?: string[]
}

export type Call = {
  /** Identifier of the attempt. */
  id: string
  /** RFC 3339, UTC. */
  createdAt: string
  settledAt: string | null
  operation: 'chat' | 'embedding' | 'speech' | 'transcription' | 'image' | 'video'
  provider: string
  credential: string | null
  deployment: string | null
  tier: 'batch' | 'flex' | null
  route: string | null
  attempt: number | null
  firstAttemptId: string | null
  model: string
  tag: string | null
  /** REJECTED: surely not accepted. FAILED: the provider says so. UNKNOWN: the answer was lost, so it may have been billed. */
  outcome: 'PENDING' | 'SUCCEEDED' | 'FAILED' | 'REJECTED' | 'UNKNOWN'
  /** Nobody knows whether it was billed. It counts as the most it can have cost until it is settled. */
  isUnsettled: boolean
  remark: 'LOST' | 'CLAMPED' | 'SETTLED' | null
  units: {
    inputTokens?: number
    outputTokens?: number
    /** Input read from the cache of the provider. Left out if 0. */
    cachedInputTokens?: number
    /** Input written to that cache. Left out if 0. */
    cacheWriteTokens?: number
    /** Of those, the ones kept for an hour. Left out if 0. */
    cacheWrite1hTokens?: number
    /** Images of the input. Left out if 0. */
    inputImageTokens?: number
    /** Audio of the input. Left out if 0. */
    inputAudioTokens?: number
    /** Images of the input read from the cache. Left out if 0. */
    cachedImageTokens?: number
    /** Audio of the input read from the cache. Left out if 0. */
    cachedAudioTokens?: number
    /** Output that the model used to reason. Left out if 0. */
    reasoningTokens?: number
    /** Images of the output. Left out if 0. */
    outputImageTokens?: number
    /** Audio of the output. Left out if 0. */
    outputAudioTokens?: number
    images?: number
    videoSeconds?: number
    inputAudioSeconds?: number
    inputCharacters?: number
    searches?: number
  }
  unitPrice: {
    currency: string
    /** Major units, at most 6 decimals. */
    inputPerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    cachedInputPerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    cacheWritePerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    cacheWrite1hPerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    inputImagePerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    inputAudioPerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    cachedImagePerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    cachedAudioPerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    outputPerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    reasoningPerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    outputImagePerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    outputAudioPerMillionTokens?: number
    /** Rates that apply instead if a call has more input than this. */
    longContext?: {
      aboveInputTokens: number
      /** Major units, at most 6 decimals. */
      inputPerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      cachedInputPerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      cacheWritePerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      cacheWrite1hPerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      inputImagePerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      inputAudioPerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      cachedImagePerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      cachedAudioPerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      outputPerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      reasoningPerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      outputImagePerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      outputAudioPerMillionTokens?: number
    }[]
    /** Major units, at most 6 decimals. */
    perImage?: number
    /** Major units, at most 6 decimals. */
    perSecond?: number
    /** Major units, at most 6 decimals. */
    inputAudioPerHour?: number
    /** Major units, at most 6 decimals. */
    inputPerMillionCharacters?: number
    /** Major units, at most 6 decimals. */
    perSearch?: number
    /** The account chose these prices, because those of the vendor are not known. */
    standIn?: true
  } | null
  cost: Money | null
  keyId: string | null
  taskId: string | null
  runId: string | null
  nodeId: string | null
  workflowId: number | null
}

export type CatalogueModel = {
  id: string
  name: string
  provider: string
  kind: 'TEXT' | 'CODE' | 'IMAGE' | 'VIDEO' | 'EMBEDDING' | 'SPEECH' | 'TRANSCRIPTION'
  description: string
  enabled: boolean
  capabilities: {
    inputModalities: string[]
    /** How many input images one generation accepts; 1 if absent. */
    maxInputImages?: number
    /** True if a mask may say which part of the first input image it changes. */
    mask?: boolean
    maxInputTokens?: number
    maxOutputTokens?: number
    /** Minimum of maxTokens; 1 if absent. */
    minOutputTokens?: number
    /** Input sizes in tokens above which the whole call costs more. */
    contextTiers?: number[]
    temperature?: {
      min: number
      max: number
    }
    topP?: {
      min: number
      max: number
    }
    /** False if the model does not support stop sequences. */
    stopSequences?: boolean
    reasoningEfforts?: string[]
    /** True if the model reads PDFs. */
    documents?: boolean
    /** The vendor searches the web for it, if asked through the compatible API of this name. */
    webSearch?: 'anthropic' | 'openai' | 'gemini'
    structuredOutput?: boolean
    forcedToolChoice?: boolean
    imageAspectRatios?: string[]
    imageQualities?: string[]
    imageSampleSizes?: string[]
    videoAspectRatios?: string[]
    videoResolutions?: string[]
    videoSeconds?: {
      min: number
      max: number
      default: number
      /** The allowed lengths, if not every value in the range is allowed. */
      values?: number[]
    }
    videoAudio?: boolean
    /** Further parameters of a generation that the model gets, such as seed. */
    mediaOptions?: string[]
    embeddingDimensions?: {
      min: number
      max: number
      default: number
    }
    speechFormats?: string[]
    speechInstructions?: boolean
    speechEvents?: boolean
    transcriptFormats?: string[]
  }
  pricing: {
    currency: string
    /** Major units, at most 6 decimals. */
    inputPerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    cachedInputPerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    cacheWritePerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    cacheWrite1hPerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    inputImagePerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    inputAudioPerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    cachedImagePerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    cachedAudioPerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    outputPerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    reasoningPerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    outputImagePerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    outputAudioPerMillionTokens?: number
    /** Rates that apply instead if a call has more input than this. */
    longContext?: {
      aboveInputTokens: number
      /** Major units, at most 6 decimals. */
      inputPerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      cachedInputPerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      cacheWritePerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      cacheWrite1hPerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      inputImagePerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      inputAudioPerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      cachedImagePerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      cachedAudioPerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      outputPerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      reasoningPerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      outputImagePerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      outputAudioPerMillionTokens?: number
    }[]
    /** Major units, at most 6 decimals. */
    perImage?: number
    /** Major units, at most 6 decimals. */
    perSecond?: number
    /** Major units, at most 6 decimals. */
    inputAudioPerHour?: number
    /** Major units, at most 6 decimals. */
    inputPerMillionCharacters?: number
    /** Major units, at most 6 decimals. */
    perSearch?: number
    /** The account chose these prices, because those of the vendor are not known. */
    standIn?: true
  } | null
  /** Where the price is from, and the day for which it was stated. */
  priceSource?: {
    source: string
    date: string | null
  }
  demo?: true
  lifecycle: {
    status: 'active' | 'retiring' | 'retired'
    /** From this day on (UTC) the vendor answers no calls. */
    shutdownAt?: string
    /** The model to use instead. */
    replacement?: string
  }
  /** It is a route: one of several models answers. */
  route?: true
  state: 'ready' | 'unpriced' | 'no-key' | 'disabled' | 'retired'
  why: string | null
  /** Only workflows can call it, with the account’s own provider key: the server has none. */
  withOwnKey: boolean
  priceDate: string | null
}

export type CheckedWorkflow = {
  validation: Validation
  /** By node, for its settings. Absent if they do not determine the ports. */
  ports: Record<string, GraphPorts>
  schema: {
    /** JSON Schema 2020-12 of inputs, keyed by input node ID. */
    inputSchema: Record<string, unknown>
    /** JSON Schema 2020-12 of outputs. */
    outputSchema: Record<string, unknown>
  } | null
  /** The problems of the inputs; missing ones are allowed. */
  inputIssues: {
    path: string
    rule: string
    message: string
  }[]
  estimate: GraphEstimate | null
}

export type ConnectedApp = {
  /** Identifier of this connection; an app may have several. */
  id: string
  /** As the app calls itself. */
  name: string
  /** An https URL if the app is published there. */
  clientId: string
  /** Who got the access, in words. */
  receiver: string
  scopes: (
    | 'models:read'
    | 'chat:write'
    | 'tasks:read'
    | 'tasks:write'
    | 'workflows:read'
    | 'workflows:write'
    | 'runs:read'
    | 'runs:write'
    | 'waits:answer'
  )[]
  /** RFC 3339, UTC. */
  connectedAt: string
  /** RFC 3339, UTC. */
  lastUsedAt: string
}

export type Credential = {
  /** The name by which workflows refer to it: a-z, 0-9 and hyphens. */
  name: string
  /** How it is sent. `header`: the secret as the value of a header of your choice. `bearer`: `Authorization: Bearer …`. `basic`: `Authorization: Basic …` with user name and password. `provider`: a key of a provider, for calls to its models. `webhook`: sent nowhere; it verifies who signed a request to a trigger or a callback. */
  kind: 'header' | 'bearer' | 'basic' | 'provider' | 'webhook'
  provider: string | null
  /** Where it may be sent: `api.example.com`, `*.example.com` or `host:port`, over https; with `http://` in front, without encryption. Required, except for the kinds `provider`, which is sent to its provider alone, and `webhook`, which is sent nowhere. A credential from an earlier version that has none is sent nowhere until it is replaced. */
  hosts: string[]
  lastChars: string | null
  /** RFC 3339, UTC. */
  createdAt: string
  /** RFC 3339, UTC. */
  updatedAt: string
  lastUsedAt: string | null
}

export type Delivery = {
  /** Identifier of the delivery. */
  id: string
  /** The webhook-id header, the same for every delivery of an event. */
  webhookId: string
  runId: string | null
  type:
    | 'workflow.run.completed'
    | 'workflow.run.failed'
    | 'workflow.run.cancelled'
    | 'workflow.run.waiting'
    | 'budget.alert'
  /** Without its query. */
  url: string
  status: 'PENDING' | 'DELIVERED' | 'FAILED' | 'DISABLED'
  attempts: number
  lastStatusCode: number | null
  lastError: string | null
  /** RFC 3339, UTC. */
  createdAt: string
  nextAttemptAt: string | null
  completedAt: string | null
}

export type DeliveryDetail = {
  /** Identifier of the delivery. */
  id: string
  /** The webhook-id header, the same for every delivery of an event. */
  webhookId: string
  runId: string | null
  type:
    | 'workflow.run.completed'
    | 'workflow.run.failed'
    | 'workflow.run.cancelled'
    | 'workflow.run.waiting'
    | 'budget.alert'
  /** Without its query. */
  url: string
  status: 'PENDING' | 'DELIVERED' | 'FAILED' | 'DISABLED'
  attempts: number
  lastStatusCode: number | null
  lastError: string | null
  /** RFC 3339, UTC. */
  createdAt: string
  nextAttemptAt: string | null
  completedAt: string | null
  /** The body that is sent. */
  payload: Record<string, unknown>
  /** Every attempt, oldest first. */
  tries: DeliveryTry[]
}

export type DeliveryTry = {
  /** RFC 3339, UTC. */
  at: string
  statusCode: number | null
  /** How long it took. */
  ms: number
  error: string | null
  body: string | null
}

export type DiscoveredEndpoint = {
  /** Its name in MODELS_FILE. */
  name: string
  baseUrl: string
  problem: string | null
  /** Models that it has and MODELS_FILE has not. */
  added: {
    id: string
    kind: string
    maxInputTokens: number | null
    /** What it reads besides text. */
    inputs: string[]
  }[]
  /** How many of its models are in MODELS_FILE. */
  known: number
  /** Models in MODELS_FILE that it no longer has. */
  gone: string[]
}

export type Draft = {
  /** Identifier of the draft, chosen by the editor. */
  draftId: string
  /** Counts the changes; the ETag is "v<revision>". */
  revision: number
  workflowId: number | null
  baseVersion: number | null
  name: string
  canvasScale: number | null
  /** RFC 3339, UTC. */
  createdAt: string
  /** RFC 3339, UTC. */
  updatedAt: string
  /** The graph as it was sent, valid or not. */
  data: Record<string, unknown>
  /** By id of a node: the run whose result the editor pins to it. The run may be deleted by now. */
  pins: Record<string, string>
}

export type DraftSummary = {
  /** Identifier of the draft, chosen by the editor. */
  draftId: string
  /** Counts the changes; the ETag is "v<revision>". */
  revision: number
  workflowId: number | null
  baseVersion: number | null
  name: string
  canvasScale: number | null
  /** RFC 3339, UTC. */
  createdAt: string
  /** RFC 3339, UTC. */
  updatedAt: string
}

export type ExportedWorkflow = {
  name: string
  tags: string[]
  canvasScale: number | null
  /** The graph. Other keys, at any level, are stored as sent. */
  data: Graph
}

export type FoundThings = {
  workflows: {
    /** Identifier of a workflow. */
    id: number
    name: string
  }[]
  runs: {
    /** Identifier of the run. */
    runId: string
    workflowName: string
    status: string
  }[]
  tasks: {
    /** Identifier of the task. */
    taskId: string
    promptPreview: string
    kind: string
    status: string
  }[]
  models: {
    id: string
    name: string
    provider: string
    kind: string
  }[]
  keys: {
    /** Identifier of the key. */
    keyId: string
    name: string
  }[]
}

export type GalleryTask = {
  /** Identifier of the task. */
  taskId: string
  kind: 'IMAGE' | 'VIDEO'
  status: TaskStatus
  model: string
  promptPreview: string
  source: 'DIRECT' | 'WORKFLOW'
  /** The run that created the task. */
  runId?: string
  nodeId?: string
  /** RFC 3339, UTC. */
  createdAt: string
  startedAt: string | null
  completedAt: string | null
  imageContent?: Media[]
  videoContent?: Media[]
  error: {
    code: string
    message: string
    retryable: boolean
  } | null
  cost: Money | null
  /** The names of parameters that were given but do not reach the model; absent if none. */
  ignored?: string[]
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
  /** Seconds to wait before the next poll; 0 once the status is terminal. */
  retryAfterSeconds: number
  /** Whether somebody of the account gave it a star. */
  starred: boolean
}

export type GraphEstimate = {
  /** Major units, at most 6 decimals. */
  estimatedCost: number
  /** Major units, at most 6 decimals. */
  lowCost: number
  /** Major units, at most 6 decimals. */
  highCost: number
  currency: string
  nodeEstimates: {
    nodeId: string
    type: string
    model: string | null
    /** Number of calls in the estimate. */
    calls: number
    estimatedCost: number | null
    lowCost: number | null
    highCost: number | null
    exact: boolean
    units: Record<string, number>
  }[]
  assumptions: string[]
  /** False if the cost is uncertain; see assumptions. */
  exact: boolean
  /** With reuse: nodes whose answers would all be taken over from earlier runs. */
  reusableNodes?: string[]
  /** Major units, at most 6 decimals. */
  savedCost?: number
  economy?: {
    /** Major units, at most 6 decimals. */
    estimatedCost: number
    /** Major units, at most 6 decimals. */
    lowCost: number
    /** Major units, at most 6 decimals. */
    highCost: number
    /** Nodes that call models at the normal price. */
    normalNodes: string[]
  }
}

export type GraphPorts = {
  inputs: {
    name: string
    type: PortType
    /** It needs a connection or a value in `data`. */
    required: boolean
    /** Accepts any number of connections. */
    multi?: true
  }[]
  outputs: {
    name: string
    type: PortType
    /** May have no value although the node ran. */
    optional?: true
  }[]
  /** Ports with other names are accepted too. */
  open?: true
}

export type InnerNode = {
  /** `node`, `node[item]` or `node/node of the called workflow`. */
  path: string
  type: string
  label: string | null
  status: NodeStatus
  attempts: number
  startedAt: string | null
  completedAt: string | null
  cost: Money | null
  error: {
    code: string
    message: string
    retryable: boolean
  } | null
  /** ANSWER_CUT: the answer reached the output limit. Absent if there are none. */
  warnings?: {
    code: string
    message: string
  }[]
}

export type Invitation = {
  /** Identifier of the invitation. */
  id: string
  email: string
  role: Role
  /** RFC 3339, UTC. */
  createdAt: string
  /** RFC 3339, UTC. */
  expiresAt: string
}

export type KeyLimits = {
  requestsPerMinute?: number
  chatPerMinute?: number
  generationPerMinute?: number
  runPerMinute?: number
  /** Per calendar month (UTC). */
  spendPerMonth?: number
}

export type ListedRun = {
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
  estimatedCost: number | null
  startedBy: {
    kind: 'trigger' | 'key' | 'person'
    id: string
    name: string | null
  } | null
  /** The first of what it waits for, if it does nothing else. */
  waitingFor?: {
    kind: 'DELAY' | 'APPROVAL' | 'CALLBACK' | null
    /** What a person is asked; otherwise empty. */
    title: string
    until: string | null
  }
  /** Somebody rejected what one of its nodes asked for. */
  rejected?: true
}

export type ListedWorkflow = {
  /** Identifier of a workflow. */
  id: number
  /** Identifier of a workflow. */
  workflowId: number
  name: string
  canvasScale: number | null
  version: number
  nodeCount: number
  connectionCount: number
  /** RFC 3339, UTC. */
  createdAt: string
  /** RFC 3339, UTC. */
  updatedAt: string
  tags: string[]
  lastRun: {
    /** Identifier of the run. */
    runId: string
    status: RunStatus
    /** RFC 3339, UTC. */
    createdAt: string
    /** It sleeps. */
    isWaiting?: true
  } | null
  /** What its runs cost in the last 30 days. */
  spent: Money
}

export type Live = {
  /** No count goes further: this number means "at least". */
  counted: number
  runs: {
    /** A worker executes them. */
    running: number
    /** They wait for a worker, and have not begun. */
    queued: number
    /** They sleep: until a time, an answer or a message, or while a provider is busy. */
    waiting: number
    /** They had begun, and wait for a worker that continues them. */
    retrying: number
    oldestQueuedAt: string | null
  }
  tasks: {
    /** A worker executes them. */
    running: number
    /** They wait for a worker, and have not begun. */
    queued: number
    oldestQueuedAt: string | null
  }
  deliveries: {
    /** Webhooks that failed and are sent again. */
    retrying: number
    nextAt: string | null
  }
  cost: {
    /** Since the full hour (UTC). */
    thisHour: Money
    /** RFC 3339, UTC. */
    hourBegan: string
    thisMonth: Money
    /** What calls under way and waiting tasks may cost. */
    inFlight: Money
    limit: Money | null
    reachedAt: string | null
  }
  /** At most 50, those with most runs first. */
  workflows: LiveWorkflow[]
  /** Without chats that no spend limit applies to. */
  calls: {
    provider: string
    model: string
    /** Calls that have not ended. */
    inFlight: number
    /** RFC 3339, UTC. */
    oldestAt: string
  }[]
  /** Providers whose keys have limits or are paused, and those that calls wait for. */
  lanes: LiveLane[]
}

export type LiveKey = {
  name: string | null
  model: string | null
  concurrency: number | null
  requestsPerMinute: number | null
  tokensPerMinute: number | null
  /** Calls of the account with this key. */
  inFlight: number
  paused: {
    /** RFC 3339, UTC. */
    until: string
    /** RATE_LIMIT: the provider asked to wait. FAILING: calls kept failing. REFUSED: the provider refuses the key. */
    why: 'RATE_LIMIT' | 'FAILING' | 'REFUSED'
    model: string | null
  } | null
}

export type LiveLane = {
  provider: string
  /** Calls of runs and tasks of the account that wait for their turn, or because the provider asked for it. At most 500 runs of a state are looked at. */
  waiting: number
  oldestAt: string | null
  nextAt: string | null
  /** Keys of the server with limits or a pause. */
  keys: LiveKey[]
}

export type LiveWorkflow = {
  /** Identifier of a workflow. */
  workflowId: number
  /** Its name when the run began. */
  name: string
  /** A worker executes them. */
  running: number
  /** They wait for a worker, and have not begun. */
  queued: number
  /** They sleep: until a time, an answer or a message, or while a provider is busy. */
  waiting: number
  /** They had begun, and wait for a worker that continues them. */
  retrying: number
  /** RFC 3339, UTC. */
  oldestAt: string
}

export type LoopProgress = {
  done: number
  total: number
}

export type Member = {
  /** Identifier of the person. */
  userId: string
  email: string | null
  /** Their name at the OpenID provider, otherwise their e-mail. */
  name: string
  role: Role
  /** True if they may not use the account at present. */
  disabled: boolean
  /** False if they sign in with OpenID only. */
  hasPassword: boolean
  /** True if signing in also asks them for a code. */
  twoStep: boolean
  /** How many keys they created that still work. */
  liveKeys: number
  /** RFC 3339, UTC. */
  createdAt: string
  lastSeenAt: string | null
}

export type ModelCatalogue = {
  items: CatalogueModel[]
}

export type NewApiKey = {
  /** Identifier of the key. */
  id: string
  userId: string | null
  /** 1 to 100 characters on one line; surrounding white space is removed. */
  name: string
  /** First 9 and last 4 characters. */
  display: string
  scopes: Scope[]
  limits: KeyLimits
  /** RFC 3339, UTC. */
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
  revokedAt: string | null
  /** The key itself, shown only once. */
  key: string
}

export type NewInvitation = {
  /** Identifier of the invitation. */
  id: string
  email: string
  role: Role
  /** RFC 3339, UTC. */
  createdAt: string
  /** RFC 3339, UTC. */
  expiresAt: string
  /** To be passed on; shown only once. */
  link: string
}

export type NodeType = {
  /** The `type` of a node. */
  type: string
  label: string
  group: 'input' | 'generate' | 'shape' | 'flow' | 'connect' | 'output' | 'browser'
  /** Name of a lucide icon. */
  icon: string
  help: string
  /** JSON Schema of `data`; every setting has a title. */
  config: Record<string, unknown>
  /** The `data` of a new node. */
  initial: Record<string, unknown>
  ports: GraphPorts | null
  /** Settings that change the ports; checkWorkflow returns the resulting ports. */
  portsDependOn: string[]
  /** Kinds of models its setting `model` may name. */
  modelKinds: ('TEXT' | 'CODE' | 'IMAGE' | 'VIDEO')[]
  /** A run on the server skips it. */
  browserOnly: boolean
  /** Exactly one of its outputs has a value. */
  branches: boolean
}

export type Notice = {
  /** Names what it is about, and how far it has come. */
  noticeId: string
  kind: 'limit' | 'budget' | 'trigger-paused' | 'model-retiring' | 'key-refused' | 'sign-in'
  /** RFC 3339, UTC. */
  at: string
  /** By the person who asks. */
  isRead: boolean
  subject: string | null
  subjectId: string | null
  /** Identifier of a workflow. */
  workflowId?: number
  /** How much of it is spent: 50, 80, 100. */
  percent?: number
  /** Of a budget. */
  scope?: 'account' | 'tag' | 'key' | 'workflow'
  /** Of a budget. */
  period?: 'day' | 'month'
  reason?: 'FAILURES' | 'KEY_REVOKED' | 'MEMBER_LEFT' | 'RESTORED'
  shutdownDay?: string
  /** The model to use instead. */
  replacement?: string
  /** The browser of the sign-in. */
  userAgent?: string
}

export type Notices = {
  /** The newest first. */
  items: Notice[]
  unread: number
}

export type PortType = 'text' | 'number' | 'boolean' | 'image' | 'video' | 'json' | 'list' | 'any'

export type ResultPreview = {
  port: string
  kind: 'empty' | 'text' | 'number' | 'boolean' | 'media' | 'list' | 'json'
  /** The first 240 characters, as text or JSON. */
  text: string
  /** The first four, with fresh addresses. */
  media: {
    url: string
    mimeType: string
    /** Of a video, if it is known. */
    durationSeconds?: number
  }[]
  /** Members of a list or an object, else 0. */
  count: number
  /** Length of the value as JSON, about. */
  bytes: number
  /** Equal for equal values; empty if the value is too large. */
  digest: string
}

export type RetryPreview = {
  workflowVersion: number
  /** Nodes whose results are taken over. */
  reused: string[]
  /** Calls that are not repeated. */
  reusedCalls: number
  savedCost: Money
  /** Nodes that run, or run again. */
  willRun: string[]
  estimate: {
    /** Major units, at most 6 decimals. */
    estimatedCost: number
    /** Major units, at most 6 decimals. */
    lowCost: number
    /** Major units, at most 6 decimals. */
    highCost: number
    currency: string
  } | null
  problem: string | null
}

export type Role = 'viewer' | 'editor' | 'owner'

export type Route = {
  /** What a call names as its model. */
  id: string
  /** 1 to 64 lowercase letters, digits and hyphens */
  name: string
  description?: string
  /** The models, the preferred one first. */
  candidates: {
    model: string
    /** Its share of the conversations. Only with sort order. */
    weight?: number
  }[]
  /** Which is asked first: as listed (default), the cheapest or the quickest. */
  sort?: 'order' | 'price' | 'latency'
  /** Dearer candidates, and those without a price, are left out. */
  maxPrice?: {
    inputPerMillionTokens?: number
    outputPerMillionTokens?: number
    perImage?: number
    perSecond?: number
  }
  /** Candidates that lack one of these are left out. */
  require?: (
    | 'images'
    | 'documents'
    | 'structuredOutput'
    | 'forcedToolChoice'
    | 'reasoning'
    | 'webSearch'
  )[]
  /** When the next candidate is asked. Default: connect, rate_limit, unavailable. */
  on?: ('connect' | 'rate_limit' | 'unavailable' | 'context' | 'content' | 'timeout')[]
  /** How long each candidate but the last has to accept a text call. */
  attemptTimeoutSeconds?: number
  /** A text call that timed out is asked of the next candidate, although the first may bill it too. */
  mayPayTwice?: boolean
  /** It is in MODELS_FILE, and every account has it. One of yours hides it. */
  isOperators: boolean
  /** The candidates that can be called now and meet the conditions. */
  usable: string[]
}

export type RunCall = {
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
}

export type RunNodeView = {
  /** `node`, `node[item]` or `node/node of the called workflow`. */
  path: string
  type: string
  label: string | null
  status: NodeStatus
  attempts: number
  startedAt: string | null
  completedAt: string | null
  cost: Money | null
  error: {
    code: string
    message: string
    retryable: boolean
  } | null
  /** ANSWER_CUT: the answer reached the output limit. Absent if there are none. */
  warnings?: {
    code: string
    message: string
  }[]
  inputs: Record<string, unknown> | null
  outputs: Record<string, unknown> | null
  /** The newest 2,000 calls of the node and all nodes inside. */
  calls: RunCall[]
  /** Items of a list, or nodes of the called workflow; each can be read by its path. Nodes that make no calls have no times here. */
  children: InnerNode[]
}

export type RunView = {
  /** The revision of this answer. Send it as `since` to receive only the changes. */
  rev: string
  run: ListedRun
  /** With `since`: those that changed. */
  nodes: RunNode[]
  /** The newest 2,000 calls of the nodes, including those in items and called workflows: see `path`. With `since`: those that may have changed. */
  calls: RunCall[]
  outputs?: Record<string, unknown> | null
  /** What the run waited or waits for: the newest 200. */
  waits?: ShownWait[]
  /** By node: the items of lists that are worked on. Those whose calls have all ended are done. */
  loops?: Record<string, LoopProgress>
  /** Nodes and connections as they ran. */
  graph?: Record<string, unknown>
  /** By node, for its settings. Absent if they do not determine the ports. */
  ports?: Record<string, GraphPorts>
  /** Workflows it calls, directly or indirectly, in the versions it was accepted with. */
  called?: {
    workflowId: number
    version: number
    /** Nodes and connections as they ran. */
    graph: Record<string, unknown>
  }[]
  /** As given, with fresh addresses of media. */
  inputs?: Record<string, unknown>
  estimate?: GraphEstimate | null
}

export type Scope =
  | 'models:read'
  | 'chat:write'
  | 'tasks:read'
  | 'tasks:write'
  | 'workflows:read'
  | 'workflows:write'
  | 'runs:read'
  | 'runs:write'
  | 'waits:answer'
  | 'developer'

export type ServerAccount = {
  /** Identifier of the account. */
  id: string
  name: string
  /** RFC 3339, UTC. */
  createdAt: string
  disabledAt: string | null
  /** The first 20. An account of an external issuer has none. */
  people: {
    /** Identifier of the person. */
    userId: string
    email: string | null
    name: string | null
    role: Role
    disabled: boolean
    lastSeenAt: string | null
  }[]
}

export type ServerFacts = {
  version: string
  /** The address that clients use. */
  baseUrl: string
  database: 'sqlite' | 'postgres'
  providers: {
    id: string
    /** True if it has everything it needs to be called. */
    configured: boolean
    /** True if an account can store a key of its own for it, as a credential. */
    takesKeys: boolean
    /** How many of its models are enabled. */
    models: number
    /** The keys of the server, if the operator named several. */
    deployments: {
      name: string
      weight: number
      /** As the answering process sees it. refused: the vendor refuses the key; busy: it asked to wait. */
      state: 'ready' | 'busy' | 'failing' | 'refused'
      refusedAt: string | null
      until: string | null
    }[]
  }[]
  modelsFile: {
    /** When what is in use was read from it. */
    readAt: string
    /** True if the file has changed since and has a mistake; the log names it. */
    isRefused: boolean
  } | null
  pricesFile: {
    /** When what is in use was read from it. */
    readAt: string
    /** True if the file has changed since and has a mistake; the log names it. */
    isRefused: boolean
    /** Where its prices are from, as it says itself. */
    source: string
    date: string | null
    models: number
  } | null
  limits: {
    requestsPerMinute: number | null
    chatPerMinute: number | null
    generationPerMinute: number | null
    runPerMinute: number | null
    spendPerMonth: Money | null
    tasksInFlight: number
    activeRuns: number
    queuedRuns: number
    workflowNodes: number
    workflowConnections: number
    mediaBytes: number
    runSeconds: number
    chatSeconds: number
    imageTaskSeconds: number
    videoTaskSeconds: number
  }
  retentionDays: number
  signUp: 'open' | 'first-user' | 'closed'
  /** True if people can sign in with an OpenID provider. */
  oidc: boolean
}

export type SessionOfMine = {
  id: string
  /** RFC 3339, UTC. */
  createdAt: string
  /** To the minute. */
  lastSeenAt: string
  ipAddress: string | null
  device: string | null
  /** True for the session of this request. */
  current: boolean
}

export type ShownAnswer = {
  decision?: 'approve' | 'reject'
  comment?: string
  by: WaitAnswerer
  /** RFC 3339, UTC. */
  at: string
  from: string | null
}

export type ShownWait = {
  /** Identifier of the wait. */
  waitId: string
  /** The node that waits. */
  nodeId: string
  /** Its position in the run: node, item, called workflow. */
  path: string
  kind: 'DELAY' | 'APPROVAL' | 'CALLBACK'
  status: WaitStatus
  title: string
  /** RFC 3339, UTC. */
  since: string
  /** RFC 3339, UTC. */
  expiresAt: string
  answer: ShownAnswer | null
}

export type SignedIn = {
  user: {
    /** The signed-in person. */
    id: string
    email: string | null
  }
  account: {
    /** Their account. */
    id: string
  }
  role: Role
}

export type SpendDay = {
  /** UTC day. */
  day: string
  model: string
  keyId: string | null
  calls: number
  inputTokens: number
  outputTokens: number
  images: number
  videoSeconds: number
  cost: Money
}

export type SpendLimits = {
  account: {
    today: Money
    thisMonth: Money
    inFlight: Money
    limit: Money | null
    remaining: Money | null
    ownLimit: Money | null
    serverLimit: Money | null
  }
  keys: {
    /** A live key with a limit of its own. */
    keyId: string
    name: string
    today: Money
    thisMonth: Money
    inFlight: Money
    limit: Money | null
    remaining: Money | null
  }[]
  /** When the month of all limits ends (UTC). */
  resetsAt: string
}

export type StandInPrice = {
  model: string
  kind: string
  pricing: {
    /** Major units, at most 6 decimals. */
    inputPerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    outputPerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    perImage?: number
    /** Major units, at most 6 decimals. */
    perSecond?: number
    /** Major units, at most 6 decimals. */
    inputAudioPerHour?: number
    /** Major units, at most 6 decimals. */
    inputPerMillionCharacters?: number
  } | null
}

export type TaskCount = {
  total: number
  /** False if only the newest 50,000 tasks were examined. */
  isExact: boolean
}

export type TaskDetail = {
  /** Identifier of the task. */
  taskId: string
  kind: 'IMAGE' | 'VIDEO'
  status: TaskStatus
  model: string
  promptPreview: string
  source: 'DIRECT' | 'WORKFLOW'
  /** The run that created the task. */
  runId?: string
  nodeId?: string
  /** RFC 3339, UTC. */
  createdAt: string
  startedAt: string | null
  completedAt: string | null
  imageContent?: Media[]
  videoContent?: Media[]
  error: {
    code: string
    message: string
    retryable: boolean
  } | null
  cost: Money | null
  /** The names of parameters that were given but do not reach the model; absent if none. */
  ignored?: string[]
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
  /** Seconds to wait before the next poll; 0 once the status is terminal. */
  retryAfterSeconds: number
  /** Whether somebody of the account gave it a star. */
  starred: boolean
  /** The full prompt, up to 262,144 characters. */
  prompt: string
  promptTruncated: boolean
  /** The fields of the request that created the task. */
  parameters: {
    imageAspectRatio?: string
    imageQuality?: string
    imageSampleSize?: string
    videoAspectRatio?: string
    videoSeconds?: number
    videoResolution?: string
    videoGenerateAudio?: boolean
    seed?: number
    /** True if a mask was given. */
    mask?: boolean
  }
  inputImage:
    | Media
    | {
        /** As it was given. */
        url: string
      }
    | null
  keyId: string | null
  keyName: string | null
  /** Calls to providers, oldest first. */
  attempts: Call[]
}

export type TaskEstimate = {
  estimatedCost: number | null
  lowCost: number | null
  highCost: number | null
  currency: string
  /** False if the cost is uncertain; see assumptions. */
  exact: boolean
  assumptions: string[]
}

export type Template = {
  id: string
  name: string
  description: string
  /** Name of a lucide icon. */
  icon: string
  /** The graph. Other keys, at any level, are stored as sent. */
  data: Graph
  /** Inputs to try it with. */
  sampleInputs: Record<string, unknown>
  /** What such a workflow is usually started by, as settings of a trigger. */
  trigger?: {
    kind: 'SCHEDULE' | 'WEBHOOK'
    name: string
    cron?: string
    overlap?: 'allow' | 'skip' | 'queue'
    /** Add `credentials`: the name of the stored secret. */
    verify?: {
      method: 'github' | 'slack'
    }
    mapping?: string
    /** What the sender sends, to try `mapping` with; no setting of a trigger. */
    sample?: {
      headers: Record<string, unknown>
      body: Record<string, unknown>
    }
  }
}

export type TestedWebhook = {
  /** The webhook-id header. */
  webhookId: string
  type: 'webhook.test'
  /** Without its query. */
  url: string
  status: 'DELIVERED' | 'FAILED'
  /** The body that was sent. */
  payload: Record<string, unknown>
  tries: DeliveryTry[]
}

export type TriedTrigger = {
  inputs: Record<string, unknown> | null
  problem: string | null
}

export type TriggerPreview = {
  /** The schedule as a sentence; empty if it cannot be read. */
  words: string
  nextFirings: string[]
  problems: {
    path: string
    message: string
  }[]
  /** Days on which the clocks change and it fires at another time. */
  notes: string[]
}

export type TriggerSample = {
  listeningUntil: string | null
  at: string | null
  refused: string | null
  /** As the mapping sees it. */
  body: unknown
  headers: Record<string, unknown>
  query: Record<string, unknown>
}

export type Usage = {
  from: string
  /** The last day, inclusive. */
  to: string
  /** The name in the tz database. */
  tz: string
  by: 'hour' | 'day' | 'month'
  split: 'model' | 'key' | 'workflow' | 'tag'
  /** For the whole span, most expensive first. */
  series: UsageSeries[]
  /** Oldest first, including empty ones. */
  buckets: {
    /** Local hour with offset, day, or month. */
    key: string
    label: string
    /** RFC 3339, UTC. */
    startsAt: string
    /** RFC 3339, UTC. */
    endsAt: string
    /** In the same order; only series with calls. */
    series: UsageSeries[]
  }[]
  total: {
    /** Settled calls to providers. */
    calls: number
    /** How many of these calls did not succeed. */
    failed: number
    inputTokens: number
    /** Of the input: read from the caches of providers. */
    cachedInputTokens: number
    /** Of the input: written to them. */
    cacheWriteTokens: number
    outputTokens: number
    /** Of the output: used by models to reason. */
    reasoningTokens: number
    images: number
    videoSeconds: number
    cost: Money
    /** Of the cost: billed to provider keys of the account, at the same prices. */
    ownKeysCost: Money
  }
  /** What the answers that runs of the span reused had cost when they were paid. */
  savedCost: Money
  /** The span of the same length before. */
  previous: {
    from: string
    to: string
    /** Settled calls to providers. */
    calls: number
    /** How many of these calls did not succeed. */
    failed: number
    inputTokens: number
    /** Of the input: read from the caches of providers. */
    cachedInputTokens: number
    /** Of the input: written to them. */
    cacheWriteTokens: number
    outputTokens: number
    /** Of the output: used by models to reason. */
    reasoningTokens: number
    images: number
    videoSeconds: number
    cost: Money
    /** Of the cost: billed to provider keys of the account, at the same prices. */
    ownKeysCost: Money
  }
  /** Estimated and actual cost of the newest runs of the span, by workflow, most expensive first. */
  estimates: WorkflowEstimate[]
  estimatesNext: string | null
}

export type UsageSeries = {
  /** A model, a tag, or the identifier of a key or workflow that `GET /calls` can filter by; `none`: without one; `(other)`: all beyond the first seven. */
  key: string
  label: string
  /** Settled calls to providers. */
  calls: number
  /** How many of these calls did not succeed. */
  failed: number
  inputTokens: number
  /** Of the input: read from the caches of providers. */
  cachedInputTokens: number
  /** Of the input: written to them. */
  cacheWriteTokens: number
  outputTokens: number
  /** Of the output: used by models to reason. */
  reasoningTokens: number
  images: number
  videoSeconds: number
  cost: Money
  /** Of the cost: billed to provider keys of the account, at the same prices. */
  ownKeysCost: Money
}

export type VersionSummary = {
  version: number
  /** RFC 3339, UTC. */
  createdAt: string
  author: {
    kind: 'user' | 'key'
    id: string
    name: string | null
  } | null
  nodeCount: number
  connectionCount: number
  note: string | null
  /** How many of the workflow's newest 1,000 runs had this graph. */
  runs: number
}

export type WebhookSecret = {
  /** whsec_ and base64 of 32 bytes (Standard Webhooks). */
  secret: string
  /** RFC 3339, UTC. */
  rotatedAt: string
  previousValidUntil: string | null
}

export type WorkflowEstimate = {
  workflowId: number
  /** Its name at the time of its last run. */
  name: string
  /** Completed runs that have an estimate. */
  runs: number
  estimated: Money
  actual: Money
}

export type WorkflowTag = {
  tag: string
  /** How many have it. */
  workflows: number
}

export type WorkflowVersion = {
  version: number
  /** RFC 3339, UTC. */
  createdAt: string
  author: {
    kind: 'user' | 'key'
    id: string
    name: string | null
  } | null
  nodeCount: number
  connectionCount: number
  note: string | null
  /** How many of the workflow's newest 1,000 runs had this graph. */
  runs: number
  /** The graph. Other keys, at any level, are stored as sent. */
  data: Graph
}

/** Every call of the console API, by the id of its operation. */
export type ConsoleCalls = {
  /** Shows who is signed in and the ways to sign in. */
  getSession: {
    route: 'GET /session'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: {
      session: {
        user: {
          /** The signed-in person. */
          id: string
          email: string | null
        }
        account: {
          /** Their account. */
          id: string
        }
        role: Role
        failedSignIns: {
          count: number
          /** RFC 3339, UTC. */
          lastAt: string
          ipAddress: string | null
        } | null
      } | null
      /** True for those who may manage all accounts. */
      operator: boolean
      signUpOpen: boolean
      /** True if an OpenID provider is configured. */
      oidc: boolean
    }
  }
  /** Creates a user and signs in. */
  signUp: {
    route: 'POST /sign-up'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      email: string
      password: string
    }
    data: SignedIn
  }
  /** Signs in with e-mail and password. */
  signIn: {
    route: 'POST /sign-in'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      email: string
      password: string
      /** Six digits of your authenticator app, or a recovery code. */
      code?: string
    }
    data: SignedIn
  }
  /** Ends the session. */
  signOut: {
    route: 'POST /sign-out'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: Record<string, unknown>
  }
  /** Sets the e-mail and password of the owner with the one-time link, and signs in. */
  setUp: {
    route: 'POST /set-up'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      /** From the link. */
      token: string
      email: string
      password: string
    }
    data: SignedIn
  }
  /** Changes the password, ends all other sessions and disconnects all apps. */
  changePassword: {
    route: 'POST /password'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      currentPassword: string
      newPassword: string
      /** Also revokes the API keys you made. Default: they stay. */
      revokeKeys?: boolean
    }
    data: {
      /** How many keys were revoked. */
      revokedKeys: number
    }
  }
  /** Sends the browser to the OpenID provider. */
  startOidcSignIn: {
    route: 'GET /oidc/start'
    params: Record<string, never>
    query: {
      authorize?: string
    }
    body: undefined
    data: undefined
  }
  /** Begins to use a set-up link or an invitation with the OpenID provider. */
  startOidcWithLink: {
    route: 'POST /oidc/link'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      kind: 'set-up' | 'invitation'
      /** From the link. */
      token: string
    }
    data: {
      address: string
    }
  }
  /** Receives the browser back from the OpenID provider. */
  finishOidcSignIn: {
    route: 'GET /oidc/callback'
    params: Record<string, never>
    query: {
      code?: string
      state?: string
      error?: string
    }
    body: undefined
    data: undefined
  }
  /** Tells the holder of an invitation what it is for. */
  showInvitation: {
    route: 'POST /invitations/show'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      /** From the link. */
      token: string
    }
    data: {
      email: string
      role: Role
      accountName: string
      /** RFC 3339, UTC. */
      expiresAt: string
    }
  }
  /** Joins the account of an invitation with a password, and signs in. */
  acceptInvitation: {
    route: 'POST /invitations/accept'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      /** From the link. */
      token: string
      password: string
    }
    data: SignedIn
  }
  /** Sets a new password with a recovery link, ends all sessions and disconnects all apps. */
  recover: {
    route: 'POST /recover'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      /** From the link. */
      token: string
      password: string
      /** Also revokes the API keys you made. Default: they stay. */
      revokeKeys?: boolean
    }
    data: {
      email: string | null
      /** How many keys were revoked. */
      revokedKeys: number
    }
  }
  /** Creates a short-lived access token (JWT) for the public API. */
  mintToken: {
    route: 'POST /tokens'
    params: Record<string, never>
    query: Record<string, never>
    body?: {
      scopes?: (
        | 'models:read'
        | 'chat:write'
        | 'tasks:read'
        | 'tasks:write'
        | 'workflows:read'
        | 'workflows:write'
        | 'runs:read'
        | 'runs:write'
        | 'waits:answer'
      )[]
      ttlSeconds?: number
    }
    data: {
      accessToken: string
      tokenType: 'Bearer'
      scopes: (
        | 'models:read'
        | 'chat:write'
        | 'tasks:read'
        | 'tasks:write'
        | 'workflows:read'
        | 'workflows:write'
        | 'runs:read'
        | 'runs:write'
        | 'waits:answer'
      )[]
      /** RFC 3339, UTC. */
      expiresAt: string
    }
  }
  /** Lists where you are signed in. */
  listSessions: {
    route: 'GET /sessions'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: {
      items: SessionOfMine[]
    }
  }
  /** Signs you out in one place. */
  endSession: {
    route: 'DELETE /sessions/{sessionId}'
    params: {
      sessionId: string
    }
    query: Record<string, never>
    body: undefined
    data: Record<string, unknown>
  }
  /** Signs you out everywhere else. */
  endOtherSessions: {
    route: 'DELETE /sessions'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: Record<string, unknown>
  }
  /** Shows whether signing in asks you for a code. */
  getTwoStep: {
    route: 'GET /two-step'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: {
      enabledAt: string | null
      recoveryCodesLeft: number
      /** False if you sign in with OpenID only. */
      hasPassword: boolean
    }
  }
  /** Makes the secret for your authenticator app; nothing is on until a code confirms it. */
  startTwoStep: {
    route: 'POST /two-step'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      password: string
    }
    data: {
      secret: string
      address: string
    }
  }
  /** Turns two-step sign-in on with a code of your app, and shows the recovery codes. */
  confirmTwoStep: {
    route: 'POST /two-step/confirm'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      /** Six digits of your authenticator app, or a recovery code. */
      code: string
    }
    data: {
      /** Shown only once. */
      recoveryCodes: string[]
    }
  }
  /** Replaces your recovery codes and shows the new ones. */
  renewRecoveryCodes: {
    route: 'POST /two-step/recovery-codes'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      password: string
      /** Six digits of your authenticator app, or a recovery code. */
      code: string
    }
    data: {
      /** Shown only once. */
      recoveryCodes: string[]
    }
  }
  /** Turns your two-step sign-in off. */
  endTwoStep: {
    route: 'POST /two-step/off'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      password: string
      /** Six digits of your authenticator app, or a recovery code. */
      code: string
    }
    data: Record<string, unknown>
  }
  /** Lists the people of the account and their roles. */
  listMembers: {
    route: 'GET /members'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: {
      items: Member[]
    }
  }
  /** Changes the role of a member, or disables them; takes effect within 5 seconds. */
  updateMember: {
    route: 'PUT /members/{userId}'
    params: {
      /** Identifier of the person. */
      userId: string
    }
    query: Record<string, never>
    body: {
      role?: Role
      disabled?: boolean
    }
    data: Member
  }
  /** Removes a member and revokes the keys they created; takes effect within 5 seconds. */
  removeMember: {
    route: 'DELETE /members/{userId}'
    params: {
      /** Identifier of the person. */
      userId: string
    }
    query: Record<string, never>
    body: undefined
    data: Member
  }
  /** Turns off the two-step sign-in of a member who lost their authenticator. */
  resetMemberTwoStep: {
    route: 'DELETE /members/{userId}/two-step'
    params: {
      /** Identifier of the person. */
      userId: string
    }
    query: Record<string, never>
    body: undefined
    data: Member
  }
  /** Makes a link with which a person joins the account, and shows it once. */
  createInvitation: {
    route: 'POST /invitations'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      email: string
      role: Role
    }
    data: NewInvitation
  }
  /** Lists the invitations that nobody has used yet. */
  listInvitations: {
    route: 'GET /invitations'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: {
      items: Invitation[]
    }
  }
  /** Withdraws an invitation; its link stops working. */
  withdrawInvitation: {
    route: 'DELETE /invitations/{invitationId}'
    params: {
      /** Identifier of the invitation. */
      invitationId: string
    }
    query: Record<string, never>
    body: undefined
    data: Record<string, unknown>
  }
  /** Makes a link with which a member sets a new password, and shows it once. */
  createRecoveryLink: {
    route: 'POST /recovery-links'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      /** The member. */
      userId: string
    }
    data: {
      /** To be passed on; shown only once. */
      link: string
      /** RFC 3339, UTC. */
      expiresAt: string
    }
  }
  /** Lists all accounts of this server with their people, newest first. */
  listServerAccounts: {
    route: 'GET /server/accounts'
    params: Record<string, never>
    query: {
      /** `next` of the previous answer. */
      cursor?: string
      /** Items per answer. */
      size?: number
    }
    body: undefined
    data: {
      items: ServerAccount[]
      next: string | null
    }
  }
  /** Disables an account of this server, or enables it again; takes effect in 5 seconds. */
  updateServerAccount: {
    route: 'PUT /server/accounts/{accountId}'
    params: {
      /** Identifier of the account. */
      accountId: string
    }
    query: Record<string, never>
    body: {
      disabled: boolean
    }
    data: ServerAccount
  }
  /** Asks the endpoints in MODELS_FILE which models they have, and compares; changes nothing. */
  findServerModels: {
    route: 'GET /server/discovery'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: {
      items: DiscoveredEndpoint[]
    }
  }
  /** Adds models that an endpoint has to MODELS_FILE; calls can name them seconds later. */
  addServerModels: {
    route: 'POST /server/discovery'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      endpoint: string
      ids: string[]
      /** Price them at 0. Without a price they are refused under a spend limit. */
      free: boolean
    }
    data: {
      /** How many were new. */
      added: number
    }
  }
  /** Lists the API keys of the account, live ones first. */
  listApiKeys: {
    route: 'GET /api-keys'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: {
      items: ApiKey[]
    }
  }
  /** Creates an API key and shows it once. */
  createApiKey: {
    route: 'POST /api-keys'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      /** 1 to 100 characters on one line; surrounding white space is removed. */
      name: string
      scopes?: Scope[]
      expiresAt?: string | null
      limits?: KeyLimits
    }
    data: NewApiKey
  }
  /** Changes an API key that is not revoked; takes effect everywhere within 5 seconds. */
  updateApiKey: {
    route: 'PUT /api-keys/{keyId}'
    params: {
      /** Identifier of the key. */
      keyId: string
    }
    query: Record<string, never>
    body: {
      /** 1 to 100 characters on one line; surrounding white space is removed. */
      name: string
      scopes: Scope[]
      limits: KeyLimits
      expiresAt: string | null
    }
    data: ApiKey
  }
  /** Revokes an API key; takes effect everywhere within 5 seconds. */
  revokeApiKey: {
    route: 'DELETE /api-keys/{keyId}'
    params: {
      /** Identifier of the key. */
      keyId: string
    }
    query: Record<string, never>
    body: undefined
    data: ApiKey
  }
  /** Lists the credentials of the account by name, without their secrets. */
  listCredentials: {
    route: 'GET /credentials'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: {
      items: Credential[]
    }
  }
  /** Lists the models that nodes can call only with the account's own provider keys, because the server has none. */
  listKeyModels: {
    route: 'GET /key-models'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: {
      items: Model[]
    }
  }
  /** Lists every model the server knows, and why some of them cannot be used. */
  listModelCatalogue: {
    route: 'GET /model-catalogue'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: ModelCatalogue
  }
  /** Lists the routes that the account can call. */
  listRoutes: {
    route: 'GET /routes'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: {
      items: Route[]
    }
  }
  /** Deletes a route; calls that name it are refused from now on. */
  deleteRoute: {
    route: 'DELETE /routes/{name}'
    params: {
      /** 1 to 64 lowercase letters, digits and hyphens */
      name: string
    }
    query: Record<string, never>
    body: undefined
    data: {
      /** 1 to 64 lowercase letters, digits and hyphens */
      name: string
      deleted: true
    }
  }
  /** Defines a route, or replaces it; runs that have begun keep the one they began with. */
  setRoute: {
    route: 'PUT /routes/{name}'
    params: {
      /** 1 to 64 lowercase letters, digits and hyphens */
      name: string
    }
    query: Record<string, never>
    body: {
      description?: string
      /** The models, the preferred one first. */
      candidates: {
        model: string
        /** Its share of the conversations. Only with sort order. */
        weight?: number
      }[]
      /** Which is asked first: as listed (default), the cheapest or the quickest. */
      sort?: 'order' | 'price' | 'latency'
      /** Dearer candidates, and those without a price, are left out. */
      maxPrice?: {
        inputPerMillionTokens?: number
        outputPerMillionTokens?: number
        perImage?: number
        perSecond?: number
      }
      /** Candidates that lack one of these are left out. */
      require?: (
        | 'images'
        | 'documents'
        | 'structuredOutput'
        | 'forcedToolChoice'
        | 'reasoning'
        | 'webSearch'
      )[]
      /** When the next candidate is asked. Default: connect, rate_limit, unavailable. */
      on?: ('connect' | 'rate_limit' | 'unavailable' | 'context' | 'content' | 'timeout')[]
      /** How long each candidate but the last has to accept a text call. */
      attemptTimeoutSeconds?: number
      /** A text call that timed out is asked of the next candidate, although the first may bill it too. */
      mayPayTwice?: boolean
    }
    data: Route
  }
  /** Lists budgets, what is used of them, and default tags. */
  listBudgets: {
    route: 'GET /budgets'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: Budgets
  }
  /** Sets a daily or monthly budget of the account, a tag, a key or a workflow. */
  setBudget: {
    route: 'PUT /budgets'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      /** What the budget holds for. */
      scope: 'account' | 'tag' | 'key' | 'workflow'
      /** The tag, or the identifier of the key or workflow. Left out for the whole account. */
      target?: string
      /** A day or a calendar month (UTC). */
      period: 'day' | 'month'
      limit: number | null
    }
    data: Budgets
  }
  /** Raises a budget until a time, after which the old limit holds again. */
  raiseBudget: {
    route: 'PUT /budgets/raise'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      /** What the budget holds for. */
      scope: 'account' | 'tag' | 'key' | 'workflow'
      /** The tag, or the identifier of the key or workflow. Left out for the whole account. */
      target?: string
      /** A day or a calendar month (UTC). */
      period: 'day' | 'month'
      /** How much more, in USD. 0 ends a raise. */
      amount: number
      /** When the raise ends, at most 366 days from now. */
      until: string
    }
    data: Budgets
  }
  /** Sets what calls with a key, or runs of a workflow, are counted under by default. */
  setDefaultTag: {
    route: 'PUT /default-tags'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      scope: 'key' | 'workflow'
      target: string
      tag: string | null
    }
    data: Budgets
  }
  /** Shows the address that gets the events of the account. */
  getAccountWebhook: {
    route: 'GET /webhook'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: AccountWebhook
  }
  /** Sets the address that gets the events of the account, signed like every webhook. */
  setAccountWebhook: {
    route: 'PUT /webhook'
    params: Record<string, never>
    query: Record<string, never>
    body: AccountWebhook
    data: AccountWebhook
  }
  /** Stores a secret that workflows refer to by name. */
  createCredential: {
    route: 'POST /credentials'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      /** The name by which workflows refer to it: a-z, 0-9 and hyphens. */
      name: string
      /** How it is sent. `header`: the secret as the value of a header of your choice. `bearer`: `Authorization: Bearer …`. `basic`: `Authorization: Basic …` with user name and password. `provider`: a key of a provider, for calls to its models. `webhook`: sent nowhere; it verifies who signed a request to a trigger or a callback. */
      kind: 'header' | 'bearer' | 'basic' | 'provider' | 'webhook'
      /** The header value, token, password or key. It is stored encrypted and never shown again. */
      secret: string
      /** Name of the header. Required for the kind `header`, and only there. */
      header?: string
      /** Required for the kind `basic`, and only there. */
      username?: string
      /** Whose key it is, such as `openai`. Required for the kind `provider`, and only there. */
      provider?: string
      /** Where it may be sent: `api.example.com`, `*.example.com` or `host:port`, over https; with `http://` in front, without encryption. Required, except for the kinds `provider`, which is sent to its provider alone, and `webhook`, which is sent nowhere. A credential from an earlier version that has none is sent nowhere until it is replaced. */
      hosts?: string[]
    }
    data: Credential
  }
  /** Replaces the secret of a credential; requests sent from now on use the new one. */
  replaceCredential: {
    route: 'PUT /credentials/{name}'
    params: {
      /** The name by which workflows refer to it: a-z, 0-9 and hyphens. */
      name: string
    }
    query: Record<string, never>
    body: {
      /** How it is sent. `header`: the secret as the value of a header of your choice. `bearer`: `Authorization: Bearer …`. `basic`: `Authorization: Basic …` with user name and password. `provider`: a key of a provider, for calls to its models. `webhook`: sent nowhere; it verifies who signed a request to a trigger or a callback. */
      kind: 'header' | 'bearer' | 'basic' | 'provider' | 'webhook'
      /** The header value, token, password or key. It is stored encrypted and never shown again. */
      secret: string
      /** Name of the header. Required for the kind `header`, and only there. */
      header?: string
      /** Required for the kind `basic`, and only there. */
      username?: string
      /** Whose key it is, such as `openai`. Required for the kind `provider`, and only there. */
      provider?: string
      /** Where it may be sent: `api.example.com`, `*.example.com` or `host:port`, over https; with `http://` in front, without encryption. Required, except for the kinds `provider`, which is sent to its provider alone, and `webhook`, which is sent nowhere. A credential from an earlier version that has none is sent nowhere until it is replaced. */
      hosts?: string[]
    }
    data: Credential
  }
  /** Deletes a credential; nodes that refer to it fail from now on. */
  deleteCredential: {
    route: 'DELETE /credentials/{name}'
    params: {
      /** The name by which workflows refer to it: a-z, 0-9 and hyphens. */
      name: string
    }
    query: Record<string, never>
    body: undefined
    data: {
      /** The name by which workflows refer to it: a-z, 0-9 and hyphens. */
      name: string
      deleted: true
    }
  }
  /** Lists the apps you have connected over MCP, last used first. */
  listConnectedApps: {
    route: 'GET /connected-apps'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: {
      items: ConnectedApp[]
    }
  }
  /** Disconnects an app: its tokens stop working. */
  disconnectApp: {
    route: 'DELETE /connected-apps/{appId}'
    params: {
      /** Identifier of the connection. */
      appId: string
    }
    query: Record<string, never>
    body: undefined
    data: ConnectedApp
  }
  /** Lists what was changed in the account, by whom and from where, newest first. */
  listAudit: {
    route: 'GET /audit'
    params: Record<string, never>
    query: {
      action?:
        | 'account.created'
        | 'account.set-up'
        | 'member.joined'
        | 'sign-in'
        | 'sign-in.failed'
        | 'sign-in.limited'
        | 'sign-out'
        | 'session.ended'
        | 'password.changed'
        | 'two-step.started'
        | 'two-step.on'
        | 'two-step.off'
        | 'recovery-codes.renewed'
        | 'token.minted'
        | 'key.created'
        | 'key.changed'
        | 'key.revoked'
        | 'member.changed'
        | 'member.removed'
        | 'member.two-step-reset'
        | 'invitation.created'
        | 'invitation.withdrawn'
        | 'recovery-link.created'
        | 'app.connected'
        | 'app.disconnected'
        | 'app.token-reused'
        | 'account.changed'
        | 'account.switched'
        | 'models.added'
        | 'stand-in-price.changed'
        | 'route.changed'
        | 'route.deleted'
        | 'budget.changed'
        | 'budget.raised'
        | 'default-tag.changed'
        | 'call.settled'
        | 'credential.created'
        | 'credential.replaced'
        | 'credential.deleted'
        | 'webhook-secret.read'
        | 'webhook-secret.rotated'
        | 'webhook.tested'
        | 'webhook.redelivered'
        | 'webhook.changed'
        | 'workflow.created'
        | 'workflow.changed'
        | 'workflow.deleted'
        | 'version.noted'
        | 'wait.answered'
        | 'trigger.created'
        | 'trigger.changed'
        | 'trigger.deleted'
        | 'trigger.fired'
        | 'media.uploaded'
        | 'media.deleted'
        | 'audit.exported'
        | 'secret-key.replaced'
      /** Only what this person or key did. */
      actorId?: string
      /** RFC 3339, UTC. */
      from?: string
      /** RFC 3339, UTC. */
      to?: string
      /** `next` of the previous answer. */
      cursor?: string
      /** Items per answer. */
      size?: number
    }
    body: undefined
    data: {
      items: AuditEntry[]
      next: string | null
    }
  }
  /** Returns entries of the audit log as CSV, newest first, at most 10,000. */
  exportAudit: {
    route: 'POST /audit/export'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      action?:
        | 'account.created'
        | 'account.set-up'
        | 'member.joined'
        | 'sign-in'
        | 'sign-in.failed'
        | 'sign-in.limited'
        | 'sign-out'
        | 'session.ended'
        | 'password.changed'
        | 'two-step.started'
        | 'two-step.on'
        | 'two-step.off'
        | 'recovery-codes.renewed'
        | 'token.minted'
        | 'key.created'
        | 'key.changed'
        | 'key.revoked'
        | 'member.changed'
        | 'member.removed'
        | 'member.two-step-reset'
        | 'invitation.created'
        | 'invitation.withdrawn'
        | 'recovery-link.created'
        | 'app.connected'
        | 'app.disconnected'
        | 'app.token-reused'
        | 'account.changed'
        | 'account.switched'
        | 'models.added'
        | 'stand-in-price.changed'
        | 'route.changed'
        | 'route.deleted'
        | 'budget.changed'
        | 'budget.raised'
        | 'default-tag.changed'
        | 'call.settled'
        | 'credential.created'
        | 'credential.replaced'
        | 'credential.deleted'
        | 'webhook-secret.read'
        | 'webhook-secret.rotated'
        | 'webhook.tested'
        | 'webhook.redelivered'
        | 'webhook.changed'
        | 'workflow.created'
        | 'workflow.changed'
        | 'workflow.deleted'
        | 'version.noted'
        | 'wait.answered'
        | 'trigger.created'
        | 'trigger.changed'
        | 'trigger.deleted'
        | 'trigger.fired'
        | 'media.uploaded'
        | 'media.deleted'
        | 'audit.exported'
        | 'secret-key.replaced'
      /** Only what this person or key did. */
      actorId?: string
      /** RFC 3339, UTC. */
      from?: string
      /** RFC 3339, UTC. */
      to?: string
    }
    data: {
      /** With a header line, lines ended by CRLF (RFC 4180). */
      csv: string
      count: number
    }
  }
  /** Shows the secret that signs the webhooks of the account. */
  getWebhookSecret: {
    route: 'GET /webhook-secret'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: WebhookSecret
  }
  /** Replaces the webhook secret; the previous one stays valid for 24 hours. */
  rotateWebhookSecret: {
    route: 'POST /webhook-secret/rotate'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: WebhookSecret
  }
  /** Lists the webhook deliveries of the account, newest first. */
  listDeliveries: {
    route: 'GET /deliveries'
    params: Record<string, never>
    query: {
      status?: 'PENDING' | 'DELIVERED' | 'FAILED' | 'DISABLED'
      /** Deliveries about this run. */
      runId?: string
      /** `next` of the previous answer. */
      cursor?: string
      /** Items per answer. */
      size?: number
    }
    body: undefined
    data: {
      items: Delivery[]
      next: string | null
    }
  }
  /** Shows a delivery with its payload and every attempt. */
  getDelivery: {
    route: 'GET /deliveries/{deliveryId}'
    params: {
      /** Identifier of the delivery. */
      deliveryId: string
    }
    query: Record<string, never>
    body: undefined
    data: DeliveryDetail
  }
  /** Delivers a webhook again now; a delivery waiting for its next attempt is tried now. */
  redeliverWebhook: {
    route: 'POST /deliveries/{deliveryId}/redeliver'
    params: {
      /** Identifier of the delivery. */
      deliveryId: string
    }
    query: Record<string, never>
    body: undefined
    data: Delivery
  }
  /** Sends one signed test event to an address and shows the answer. */
  testWebhook: {
    route: 'POST /deliveries/test'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      url: string
    }
    data: TestedWebhook
  }
  /** Shows the settings of the account. */
  getAccount: {
    route: 'GET /account'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: Account
  }
  /** Changes the settings of the account. */
  updateAccount: {
    route: 'PUT /account'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      /** 1 to 100 characters on one line; surrounding white space is removed. */
      name: string
      spendLimit: number | null
    }
    data: Account
  }
  /** Shows what was spent, by day, model and key. */
  getSpend: {
    route: 'GET /spend'
    params: Record<string, never>
    query: {
      /** UTC day. */
      from?: string
      /** UTC day. */
      to?: string
    }
    body: undefined
    data: {
      items: SpendDay[]
      total: Money
    }
  }
  /** Shows the spend limits of the account and its keys, and how much of them is used. */
  getSpendLimits: {
    route: 'GET /spend-limits'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: SpendLimits
  }
  /** Lists the models whose price is not known, with the stand-in prices of the account. */
  listStandInPrices: {
    route: 'GET /stand-in-prices'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: {
      items: StandInPrice[]
    }
  }
  /** Sets the stand-in price of a model whose price is not known, or removes it. */
  setStandInPrice: {
    route: 'PUT /stand-in-prices'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      model: string
      pricing: {
        /** Major units, at most 6 decimals. */
        inputPerMillionTokens?: number
        /** Major units, at most 6 decimals. */
        outputPerMillionTokens?: number
        /** Major units, at most 6 decimals. */
        perImage?: number
        /** Major units, at most 6 decimals. */
        perSecond?: number
        /** Major units, at most 6 decimals. */
        inputAudioPerHour?: number
        /** Major units, at most 6 decimals. */
        inputPerMillionCharacters?: number
      } | null
    }
    data: {
      items: StandInPrice[]
    }
  }
  /** Sums calls, units and cost by hour, day or month, and by model, key, workflow or tag. */
  getUsage: {
    route: 'GET /usage'
    params: Record<string, never>
    query: {
      /** First day. Default: 30 days in total. */
      from?: string
      /** Last day, inclusive. Default: today. */
      to?: string
      /** A name in the tz database, such as `Europe/Berlin`. */
      tz?: string
      /** Size of the buckets; absent: day. */
      by?: 'hour' | 'day' | 'month'
      /** What each series represents; absent: model. */
      split?: 'model' | 'key' | 'workflow' | 'tag'
      /** Only calls with this tag. */
      tag?: string
    }
    body: undefined
    data: Usage
  }
  /** Compares the estimated cost of runs with their actual cost. */
  getUsageEstimates: {
    route: 'GET /usage/estimates'
    params: Record<string, never>
    query: {
      /** First day. Default: 30 days in total. */
      from?: string
      /** Last day, inclusive. Default: today. */
      to?: string
      /** A name in the tz database, such as `Europe/Berlin`. */
      tz?: string
      /** `next` of the previous answer. */
      cursor?: string
    }
    body: undefined
    data: {
      items: WorkflowEstimate[]
      next: string | null
    }
  }
  /** Shows what runs, waits and retries now, by workflow and provider, and what it costs. */
  getLive: {
    route: 'GET /live'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: Live
  }
  /** Lists what is good to know: limits nearly spent, paused triggers, retiring models, refused provider keys, sign-ins from new places. */
  listNotices: {
    route: 'GET /notices'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: Notices
  }
  /** Marks notices as read. */
  readNotices: {
    route: 'POST /notices/read'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      ids: string[]
    }
    data: Notices
  }
  /** Shows version, address, providers and limits of this server. */
  getServer: {
    route: 'GET /server'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: ServerFacts
  }
  /** Lists ready-made workflows to start from. */
  listTemplates: {
    route: 'GET /templates'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: WorkflowTemplateList
  }
  /** Lists the node types that workflows are built from. */
  listNodeTypes: {
    route: 'GET /node-types'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: {
      portTypes: PortType[]
      /** For each type of input port, the types of output ports that may be connected to it. */
      accepts: {
        text: PortType[]
        number: PortType[]
        boolean: PortType[]
        image: PortType[]
        video: PortType[]
        json: PortType[]
        list: PortType[]
        any: PortType[]
      }
      items: NodeType[]
    }
  }
  /** Searches workflows, with their tags, their last run and the cost of their runs. */
  listWorkflowsWithRuns: {
    route: 'GET /workflows'
    params: Record<string, never>
    query: {
      /** Words that must all occur in the name, or in the labels, types or models of the nodes, ignoring case. */
      q?: string
      /** 1 to 40 characters on one line; surrounding white space is removed. */
      tag?: string
      /** Changed or created: newest first (default: created); name: from A to Z. */
      sort?: 'changed' | 'name' | 'created'
      /** `next` of the previous answer. */
      cursor?: string
      /** Items per answer. */
      size?: number
    }
    body: undefined
    data: {
      items: ListedWorkflow[]
      next: string | null
      /** How many match. */
      total: number
      /** False if more than `total` match: at most 10,000 are counted. */
      totalIsExact: boolean
    }
  }
  /** Lists the tags of workflows, the most used first. */
  listWorkflowTags: {
    route: 'GET /workflow-tags'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: {
      items: WorkflowTag[]
    }
  }
  /** Tags, copies, exports or deletes many workflows at once. */
  bulkWorkflows: {
    route: 'POST /workflows/bulk'
    params: Record<string, never>
    query: Record<string, never>
    body: BulkWorkflows
    data: {
      count: number
      /** The copies. */
      ids?: number[]
      workflows?: ExportedWorkflow[]
      /** Those that would stop, and the names of the first. */
      triggers?: {
        total: number
        names: string[]
      }
    }
  }
  /** Finds workflows, runs, tasks, models and API keys by words or identifiers. */
  search: {
    route: 'GET /search'
    params: Record<string, never>
    query: {
      /** Words, or an identifier. */
      q: string
      /** At most, of each kind. */
      limit?: number
    }
    body: undefined
    data: FoundThings
  }
  /** Checks a graph without storing it: problems, ports, schemas and estimate. */
  checkWorkflow: {
    route: 'POST /workflows/check'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      /** The workflow that will have this graph, which then must not call itself. */
      workflowId?: number
      /** The graph: nodes and connections. */
      data: Record<string, unknown>
      /** The inputs of a run, including results of browser nodes. */
      inputs?: Record<string, unknown>
      /** exact: where a node would send the same request as an earlier run of your account, the earlier answer is taken over and costs nothing. Default: what the workflow says in data.reuse, or none. */
      reuse?: 'none' | 'exact'
      /** Ids of nodes: only these and what they need run, and only inputs that they need are required. All others are SKIPPED. */
      targets?: string[]
      /** By id of a node: a run whose result of that node is used. The node is not executed, whatever feeds it, nor is what only it needs. */
      pins?: Record<string, string>
      /** With reuse exact: ids of nodes that make their calls anew all the same. */
      fresh?: string[]
      /** economy: text calls wait for batches of their vendors, which cost about half, as far as these end before deadlineAt, or are made in the flex tier of their vendor. Everything else is done at once. */
      lane?: 'economy'
      /** With lane economy: when the run must have ended, in place of all time limits. At most 30 days away. */
      deadlineAt?: string
    }
    data: CheckedWorkflow
  }
  /** Searches the generation tasks of the account, newest first. */
  searchTasks: {
    route: 'GET /tasks'
    params: Record<string, never>
    query: {
      kind?: 'IMAGE' | 'VIDEO'
      status?: TaskStatus
      model?: string
      source?: 'DIRECT' | 'WORKFLOW'
      /** true: only those with a star. */
      starred?: boolean
      /** From this time on (RFC 3339). */
      from?: string
      /** Before this time (RFC 3339). */
      to?: string
      /** Part of the prompt (its first 2,000 characters, ignoring case), or an identifier, or at least the first 8 characters of one. */
      q?: string
      /** `next` of the previous answer. */
      cursor?: string
      /** Items per answer. */
      size?: number
    }
    body: undefined
    data: {
      items: GalleryTask[]
      next: string | null
    }
  }
  /** Counts the generation tasks that a search would find. */
  countTasks: {
    route: 'GET /task-count'
    params: Record<string, never>
    query: {
      kind?: 'IMAGE' | 'VIDEO'
      status?: TaskStatus
      model?: string
      source?: 'DIRECT' | 'WORKFLOW'
      /** true: only those with a star. */
      starred?: boolean
      /** From this time on (RFC 3339). */
      from?: string
      /** Before this time (RFC 3339). */
      to?: string
      /** Part of the prompt (its first 2,000 characters, ignoring case), or an identifier, or at least the first 8 characters of one. */
      q?: string
    }
    body: undefined
    data: TaskCount
  }
  /** Shows a task with its whole prompt, its parameters and its attempts. */
  getTaskDetail: {
    route: 'GET /tasks/{taskId}'
    params: {
      /** Identifier of the task. */
      taskId: string
    }
    query: Record<string, never>
    body: undefined
    data: TaskDetail
  }
  /** Stars or deletes images and videos. */
  bulkTasks: {
    route: 'POST /tasks/bulk'
    params: Record<string, never>
    query: Record<string, never>
    body: BulkTasks
    data: {
      /** With how many of them it was done. */
      count: number
    }
  }
  /** Estimates what images or videos will cost, by the same rules as a workflow. */
  estimateTask: {
    route: 'POST /tasks/estimate'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      model: string
      prompt?: string
      /** True with an input picture. */
      hasImage?: boolean
      /** True with a mask for it. */
      hasMask?: boolean
      videoSeconds?: number
      /** 1 if absent. */
      count?: number
    }
    data: TaskEstimate
  }
  /** Lists the calls to providers of a run, a task, an answer or a span of time, newest first. */
  listCalls: {
    route: 'GET /calls'
    params: Record<string, never>
    query: {
      /** Calls of this run. */
      runId?: string
      /** Calls of this task. */
      taskId?: string
      /** The call behind one answer, by the `id` of the answer. */
      requestId?: string
      /** Calls settled on this day, in `tz`. */
      day?: string
      /** A name in the tz database, such as `Europe/Berlin`. */
      tz?: string
      /** From this time on (RFC 3339). */
      from?: string
      /** Before this time (RFC 3339). */
      to?: string
      model?: string
      /** Calls with this API key; `none`: with a token. */
      keyId?: string
      /** Calls of runs of this workflow; `none`: of no run. */
      workflowId?: string
      /** Calls with this tag; `none`: without one. */
      tag?: string
      /** Only calls that count as spent although nobody knows what they cost. */
      unsettled?: 'true'
      /** `next` of the previous answer. */
      cursor?: string
      /** Items per answer. */
      size?: number
    }
    body: undefined
    data: {
      items: Call[]
      next: string | null
    }
  }
  /** Says what a call did cost whose outcome is unknown. */
  settleCall: {
    route: 'POST /calls/{callId}/settle'
    params: {
      /** The call, as the list of calls names it. */
      callId: string
    }
    query: Record<string, never>
    body: {
      /** What the provider billed, in USD; 0 if it billed nothing. */
      cost: number
    }
    data: Call
  }
  /** Lists the drafts of the account, most recently changed first. */
  listDrafts: {
    route: 'GET /drafts'
    params: Record<string, never>
    query: Record<string, never>
    body: undefined
    data: {
      items: DraftSummary[]
      next: null
    }
  }
  /** Reads a draft with its graph. */
  getDraft: {
    route: 'GET /drafts/{draftId}'
    params: {
      /** Identifier of the draft. */
      draftId: string
    }
    query: Record<string, never>
    body: undefined
    data: Draft
  }
  /** Stores a draft, even of an invalid graph. */
  putDraft: {
    route: 'PUT /drafts/{draftId}'
    params: {
      /** Identifier of the draft. */
      draftId: string
    }
    query: Record<string, never>
    body: {
      workflowId?: number | null
      baseVersion?: number | null
      /** 1 to 200 characters on one line; surrounding white space is removed. */
      name: string
      canvasScale?: number | null
      /** The graph, which is not checked. */
      data: Record<string, unknown>
      /** By id of a node: the run whose result the editor pins to it. The run may be deleted by now. */
      pins?: Record<string, string>
    }
    data: DraftSummary
  }
  /** Deletes a draft permanently. */
  deleteDraft: {
    route: 'DELETE /drafts/{draftId}'
    params: {
      /** Identifier of the draft. */
      draftId: string
    }
    query: Record<string, never>
    body: undefined
    data: {
      /** Identifier of the draft, chosen by the editor. */
      draftId: string
      deleted: true
    }
  }
  /** Lists the saved graphs of a workflow, newest first. */
  listWorkflowVersions: {
    route: 'GET /workflows/{workflowId}/versions'
    params: {
      /** Identifier of a workflow. */
      workflowId: number
    }
    query: Record<string, never>
    body: undefined
    data: {
      items: VersionSummary[]
      next: null
    }
  }
  /** Reads a saved graph of a workflow. */
  getWorkflowVersion: {
    route: 'GET /workflows/{workflowId}/versions/{version}'
    params: {
      /** Identifier of a workflow. */
      workflowId: number
      version: number
    }
    query: Record<string, never>
    body: undefined
    data: WorkflowVersion
  }
  /** Sets the note of a saved graph. */
  noteWorkflowVersion: {
    route: 'PUT /workflows/{workflowId}/versions/{version}'
    params: {
      /** Identifier of a workflow. */
      workflowId: number
      version: number
    }
    query: Record<string, never>
    body: {
      note: string | null
    }
    data: WorkflowVersion
  }
  /** Shows when a schedule would fire, without storing it. */
  previewTrigger: {
    route: 'POST /triggers/preview'
    params: Record<string, never>
    query: Record<string, never>
    body: {
      cron?: string
      timeZone?: string
      everySeconds?: number
      startAt?: string
      endAt?: string
    }
    data: TriggerPreview
  }
  /** Maps a sample of a webhook to inputs, and checks them; never starts a run. */
  tryTrigger: {
    route: 'POST /workflows/{workflowId}/triggers/try'
    params: {
      /** Identifier of a workflow. */
      workflowId: number
    }
    query: Record<string, never>
    body: {
      mapping?: string | null
      /** As the trigger has them. */
      inputs?: Record<string, unknown>
      sample: {
        body: unknown
        headers?: Record<string, unknown>
        query?: Record<string, unknown>
      }
    }
    data: TriedTrigger
  }
  /** Keeps the next request of a webhook as a sample, for two minutes. */
  listenTrigger: {
    route: 'POST /workflows/{workflowId}/triggers/{triggerId}/listen'
    params: {
      /** Identifier of a workflow. */
      workflowId: number
      /** Identifier of a trigger. */
      triggerId: string
    }
    query: Record<string, never>
    body: undefined
    data: TriggerSample
  }
  /** Shows the request that arrived while somebody listened. */
  readTriggerSample: {
    route: 'GET /workflows/{workflowId}/triggers/{triggerId}/listen'
    params: {
      /** Identifier of a workflow. */
      workflowId: number
      /** Identifier of a trigger. */
      triggerId: string
    }
    query: Record<string, never>
    body: undefined
    data: TriggerSample
  }
  /** Searches the runs of all workflows of the account, newest first. */
  searchRuns: {
    route: 'GET /runs'
    params: Record<string, never>
    query: {
      /** ACTIVE: all that have not ended. WAITING: those that sleep until a time, an answer or a message. */
      status?:
        | 'QUEUED'
        | 'RUNNING'
        | 'CANCEL_REQUESTED'
        | 'COMPLETED'
        | 'FAILED'
        | 'CANCELLED'
        | 'ACTIVE'
        | 'WAITING'
      /** Identifier of a workflow. */
      workflowId?: number
      /** From this time on (RFC 3339). */
      from?: string
      /** Before this time (RFC 3339). */
      to?: string
      /** Part of the name the workflow had (ignoring case), or an identifier, or at least the first 8 characters of one. */
      q?: string
      /** `next` of the previous answer. */
      cursor?: string
      /** Items per answer. */
      size?: number
    }
    body: undefined
    data: {
      items: ListedRun[]
      next: string | null
    }
  }
  /** Reads a run with its graph, inputs and estimate. */
  getRunView: {
    route: 'GET /runs/{runId}/view'
    params: {
      /** Identifier of the run. */
      runId: string
    }
    query: {
      /** `rev` of the previous answer. */
      since?: string
    }
    body: undefined
    data: RunView
  }
  /** Reads the inputs, calls and outputs of a node of a run, also inside lists and calls. */
  getRunNode: {
    route: 'GET /runs/{runId}/node'
    params: {
      /** Identifier of the run. */
      runId: string
    }
    query: {
      /** `node`, `node[3]`, `node/inner` or `node[3]/inner`, up to five workflows deep. */
      path: string
    }
    body: undefined
    data: RunNodeView
  }
  /** Lists the items of a list in a run, or the passes of a loop. */
  listRunItems: {
    route: 'GET /runs/{runId}/items'
    params: {
      /** Identifier of the run. */
      runId: string
    }
    query: {
      /** The node, or its path inside called workflows: write, call/write, call[3]/write. */
      path: string
      /** Only items of this state. */
      status?: NodeStatus
      /** Page number, from 1. */
      page?: number
      /** Items per page. */
      size?: number
      /** `next` of the previous answer, in place of `page`: nothing is skipped if items are deleted while you read. */
      cursor?: string
    }
    body: undefined
    data: RunItemPage
  }
  /** Reads the beginnings of the results of all nodes of a run. */
  getRunPreviews: {
    route: 'GET /runs/{runId}/previews'
    params: {
      /** Identifier of the run. */
      runId: string
    }
    query: Record<string, never>
    body: undefined
    data: {
      items: {
        nodeId: string
        outputs: ResultPreview[]
      }[]
    }
  }
  /** Shows what a retry of a run would reuse and do, and what it would cost. */
  previewRetry: {
    route: 'GET /runs/{runId}/retry-preview'
    params: {
      /** Identifier of the run. */
      runId: string
    }
    query: {
      /** As for retryWorkflowRun: the graph that ran, or that of now. */
      version?: 'same' | 'newest'
    }
    body: undefined
    data: RetryPreview
  }
  /** Lists what the runs of the account wait for, oldest first. */
  listWaits: {
    route: 'GET /waits'
    params: Record<string, never>
    query: {
      /** Only what you may decide. */
      mine?: boolean
      /** Identifier of a workflow. */
      workflowId?: number
      /** Part of the title or of the workflow’s name. */
      q?: string
      /** `next` of the previous answer. */
      cursor?: string
      /** Items per answer. */
      size?: number
    }
    body: undefined
    data: WaitPage
  }
  /** Reads what a run waits for, and the answer. */
  getWait: {
    route: 'GET /runs/{runId}/waits/{waitId}'
    params: {
      /** The run that waits. */
      runId: string
      /** Identifier of the wait. */
      waitId: string
    }
    query: Record<string, never>
    body: undefined
    data: Wait
  }
  /** Approves or rejects what a run waits for. */
  answerWait: {
    route: 'POST /runs/{runId}/waits/{waitId}'
    params: {
      /** The run that waits. */
      runId: string
      /** Identifier of the wait. */
      waitId: string
    }
    query: Record<string, never>
    body: WaitAnswerInput
    data: AnsweredWait
  }
  /** Stores a picture or video and returns its address. */
  createUpload: {
    route: 'POST /uploads'
    params: Record<string, never>
    query: Record<string, never>
    body: Blob
    data: Media
  }
}
