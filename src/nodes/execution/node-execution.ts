import type { NodeErrorCode } from '#core/node-errors.ts'

/** A node failed for a reason its author can act on. */
export class NodeFailure extends Error {
  readonly code: NodeErrorCode
  constructor(code: NodeErrorCode, message: string) {
    super(message)
    this.name = 'NodeFailure'
    this.code = code
  }
}
