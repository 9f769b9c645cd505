// Reasons why work ends early, as classes, so that they are recognised wherever they are caught.

/** Not an outcome of the work: it continues elsewhere, later, or not at all. */
export class Interruption extends Error {}

/** The process is stopping: waiting work is released, and another worker continues it. */
export class Stopping extends Interruption {
  override name = 'Stopping'
}

/** The worker has lost its lease, or its claim of a row, and may no longer write. */
export class LeaseLost extends Interruption {
  override name = 'LeaseLost'
}

/** The reason of a signal whose time limit has passed. Any other reason means "canceled". */
export class TimeUp extends Error {
  override name = 'TimeoutError'
}
