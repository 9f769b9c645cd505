export type GraphErrorCode =
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

export type GraphWarningCode =
  | 'NO_OUTPUT'
  | 'UNREACHABLE_NODE'
  | 'MODEL_UNAVAILABLE'
  | 'MODEL_RETIRING'
  | 'UNSUPPORTED_NODE'
  | 'UNKNOWN_SETTING'
  | 'UNRESOLVED_PLACEHOLDER'
  | 'CREDENTIAL_NOT_FOUND'
  | 'CREDENTIAL_NOT_ALLOWED'

/** `path` is a JSON Pointer into the graph; the message says how to fix the problem. */
export type Problem<Code extends string> = {
  code: Code
  message: string
  path: string
  nodeId?: string
  connectionIndex?: number
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
  errors: Problem<GraphErrorCode>[]
  warnings: Problem<GraphWarningCode>[]
  unsupportedNodes: UnsupportedNode[]
  nodeCount: number
  connectionCount: number
}

const maxListed = 100

/** Keeps the first hundred problems, which are enough to start fixing a graph. */
export function createProblemList<Code extends string>() {
  const items: Problem<Code>[] = []
  return {
    items,
    add(problem: Problem<Code>) {
      if (items.length < maxListed) items.push(problem)
    },
  }
}

export type ErrorList = ReturnType<typeof createProblemList<GraphErrorCode>>

/** Quotes what a user wrote, shortened to fit into a sentence. */
export const quote = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  return `"${text.length > 80 ? `${text.slice(0, 80)}…` : text}"`
}
