import type { Answered } from './exchange.ts'
import type { CallOptions } from './transport.ts'

export type WaitOptions<T> = CallOptions & {
  /** Called after every read, the last included. */
  onProgress?: ((record: T) => void) | undefined
}

type Polled = { status: string; retryAfterSeconds?: number }

const isTerminal = ({ status }: Polled): boolean =>
  status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED'

/** A wait outlives a restart of the server: more than a minute of failed reads. */
export const pollAttempts = 20

/** Reads at the advised interval until the record is terminal, whatever the end is. */
export async function waitUntilTerminal<T extends Polled>(
  read: () => Promise<Answered>,
  { onProgress }: WaitOptions<T>,
  pause: (seconds: number) => Promise<void>,
): Promise<T> {
  for (;;) {
    const { data, retryAfterSeconds } = await read()
    // The border: the server answers with what its schema promises.
    const record = data as T
    onProgress?.(record)
    if (isTerminal(record)) return record
    await pause(Math.max(1, record.retryAfterSeconds ?? retryAfterSeconds ?? 1))
  }
}
