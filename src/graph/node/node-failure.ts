import type { WorkErrorCode } from '#core/error-table.ts'

/** A node failed for a reason its author can act on. */
export class NodeFailure extends Error {
  readonly code: WorkErrorCode
  constructor(code: WorkErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.name = 'NodeFailure'
    this.code = code
  }
}

/** A limit of the whole run is reached, so that no other item of a list could go on either. */
export class RunLimitFailure extends NodeFailure {}

/** How an item of a list failed that may fail without the others. */
export class ItemFailure {
  readonly code: WorkErrorCode
  readonly message: string
  constructor({ code, message }: { code: WorkErrorCode; message: string }) {
    this.code = code
    this.message = message
  }
}
