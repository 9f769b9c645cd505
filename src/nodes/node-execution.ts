import type { NodeErrorCode } from '#core/node-errors.ts'
import type { CallLookup, NodeType } from './node-type.ts'

// What the engine hands a node that runs. Every call is recorded, limited and billed there.

/** A stored picture or video. */
export type Media = {
  url: string
  mimeType: string
  sizeBytes: number
  width?: number
  height?: number
  durationSeconds?: number
  hasAudio?: boolean
}

export type NodeExecution = {
  /** Throws once the run is to stop. */
  throwIfStopped(): void
  generateText(call: {
    model: string
    prompt: string
    system?: string
    image?: Media
    temperature?: number
    maxTokens?: number
    responseFormat: 'text' | 'json'
  }): Promise<string>
  /** Resolves when the task is done. */
  createMediaTask(call: {
    kind: 'IMAGE' | 'VIDEO'
    model: string
    prompt: string
    image?: Media
    parameters: Readonly<Record<string, unknown>>
  }): Promise<Media[]>
  /** Through the outbound policy; resolves with any status. */
  httpRequest(call: {
    method: string
    url: string
    headers: Readonly<Record<string, string>>
    body?: string
    timeoutMs: number
  }): Promise<{ status: number; headers: Record<string, string>; body: string }>
  evaluateExpression(expression: string, input: unknown): Promise<unknown>
  callWorkflow(
    workflowId: number,
    inputs: Readonly<Record<string, unknown>>,
  ): Promise<Record<string, unknown>>
  /** Brings a picture or video from an address a user gave into the media store. */
  importMedia(url: string, kind: 'image' | 'video'): Promise<Media>
  /** The same services for one item of a list, so that each item is recorded by itself. */
  forItem(index: number): NodeExecution
  /** Told what each item is given and what becomes of it, where somebody looks. */
  watchItem?(
    index: number,
    ports: Readonly<Record<string, unknown>>,
    outcome: Promise<object>,
  ): void
  readonly nodeType: (name: string) => NodeType | undefined
  readonly calls: CallLookup
}

/** A node failed for a reason its author can act on. */
export class NodeFailure extends Error {
  readonly code: NodeErrorCode
  constructor(code: NodeErrorCode, message: string) {
    super(message)
    this.name = 'NodeFailure'
    this.code = code
  }
}
