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

/** Somebody asked the run to stop. */
export class RunCancelled extends Interruption {
  override name = 'RunCancelled'
}

/** The run that ordered a task was cancelled or has ended, so nothing is sent any more. */
export class RunStopped extends Error {
  override name = 'RunStopped'
}

/** The reason of a signal whose time limit has passed. Any other reason means "canceled". */
export class TimeUp extends Error {
  override name = 'TimeoutError'
}
