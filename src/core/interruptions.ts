// Why work ends before it is done. Known by class, wherever they are caught.

/** Not an outcome of the work: it goes on elsewhere, later, or not at all. */
export class Interruption extends Error {}

/** The process is stopping: what waits goes back, and another worker goes on with it. */
export class Stopping extends Interruption {
  override name = 'Stopping'
}

/** The worker's lease, or its claim of a row, is another worker's now: it may write nothing. */
export class LeaseLost extends Interruption {
  override name = 'LeaseLost'
}

/** The reason a signal aborts with when its time limit has passed; any other means "canceled". */
export class TimeUp extends Error {
  override name = 'TimeoutError'
}
