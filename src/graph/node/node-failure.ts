import type { WorkErrorCode } from '#core/error-table.ts'

/** A node failed for a reason its author can act on. */
export class NodeFailure extends Error {
  readonly code: WorkErrorCode
  constructor(code: WorkErrorCode, message: string) {
    super(message)
    this.name = 'NodeFailure'
    this.code = code
  }
}
