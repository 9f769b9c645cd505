// Generated from the registry of operations by scripts/write-client-types.ts; do not edit.
export type DeletedWorkflow = {
  /** Identifier of a workflow. */
  id: number
  /** Identifier of a workflow. */
  workflowId: number
  deleted: true
}

export type Estimate = {
  /** Identifier of a workflow. */
  workflowId: number
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
  /** Nodes that may not execute on the server: check before running. */
  unsupportedNodes: UnsupportedNode[]
}

export type Graph = {
  nodes: Record<string, unknown>[]
  connections: Record<string, unknown>[]
}

export type NewWorkflow = {
  /** 1 to 200 characters on one line; surrounding white space is removed. */
  name: string
  /** The graph. Other keys, at any level, are stored as sent. */
  data: Graph
  canvasScale?: number | null
}

export type UnsupportedNode = {
  nodeId: string
  type: string
  reason:
    | 'BROWSER_ONLY'
    | 'MODEL_UNAVAILABLE'
    | 'PROVIDER_NOT_CONFIGURED'
    | 'SUBWORKFLOW_UNSUPPORTED'
  message: string
}

export type Validation = {
  valid: boolean
  errors: {
    code:
      | 'INVALID_NODE'
      | 'DUPLICATE_NODE_ID'
      | 'UNKNOWN_NODE_TYPE'
      | 'INVALID_CONFIG'
      | 'INVALID_EXPRESSION'
      | 'INVALID_CONNECTION'
      | 'UNKNOWN_NODE'
      | 'UNKNOWN_PORT'
      | 'PORT_TYPE_MISMATCH'
      | 'PORT_ALREADY_CONNECTED'
      | 'DUPLICATE_CONNECTION'
      | 'REQUIRED_PORT_UNCONNECTED'
      | 'CYCLE'
      | 'TOO_MANY_NODES'
      | 'TOO_MANY_CONNECTIONS'
      | 'SUBWORKFLOW_NOT_FOUND'
      | 'SUBWORKFLOW_RECURSION'
    /** What is wrong and how to fix it. */
    message: string
    /** JSON Pointer into data. */
    path: string
    nodeId?: string
    connectionIndex?: number
  }[]
  warnings: {
    code:
      | 'NO_OUTPUT'
      | 'UNREACHABLE_NODE'
      | 'MODEL_UNAVAILABLE'
      | 'MODEL_RETIRING'
      | 'UNSUPPORTED_NODE'
      | 'UNKNOWN_SETTING'
      | 'UNRESOLVED_PLACEHOLDER'
      | 'CREDENTIAL_NOT_FOUND'
      | 'CREDENTIAL_NOT_ALLOWED'
    /** What is wrong and how to fix it. */
    message: string
    /** JSON Pointer into data. */
    path: string
    nodeId?: string
    connectionIndex?: number
  }[]
  /** Nodes that may not execute on the server: check before running. */
  unsupportedNodes: UnsupportedNode[]
  nodeCount: number
  connectionCount: number
}

export type Workflow = {
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
  /** The graph. Other keys, at any level, are stored as sent. */
  data: Graph
}

export type WorkflowPage = {
  items: WorkflowSummary[]
  /** 1 if the list was read by cursor. */
  page: number
  size: number
  total: number
  totalPages: number
  next: string | null
}

export type WorkflowPatch = {
  /** 1 to 200 characters on one line; surrounding white space is removed. */
  name?: string
  /** The graph. Other keys, at any level, are stored as sent. */
  data?: Graph
  canvasScale?: number | null
}

export type WorkflowSchema = {
  /** Identifier of a workflow. */
  workflowId: number
  version: number
  /** JSON Schema 2020-12 of inputs, keyed by input node ID. */
  inputSchema: Record<string, unknown>
  /** JSON Schema 2020-12 of outputs. */
  outputSchema: Record<string, unknown>
  /** Nodes that may not execute on the server: check before running. */
  unsupportedNodes: UnsupportedNode[]
}

export type WorkflowSummary = {
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
}

export type WorkflowTemplate = {
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

export type WorkflowTemplateList = {
  items: WorkflowTemplate[]
  total: number
}
