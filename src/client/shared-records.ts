// Generated from the registry of operations by scripts/write-client-types.ts; do not edit.
export type Media = {
  /** Signed, valid for 24 h; read again for a new one. */
  url: string
  mimeType: string
  sizeBytes: number
  width?: number
  height?: number
  durationSeconds?: number
  hasAudio?: boolean
}

export type Money = {
  /** Major units, at most 6 decimals. */
  amount: number
  currency: string
}

export type Graph = {
  nodes: Record<string, unknown>[]
  connections: Record<string, unknown>[]
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
