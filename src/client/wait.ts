import type { Answered } from './exchange.ts'
import type { CallOptions } from './transport.ts'

export type WaitOptions<T> = CallOptions & {
  /** Called after every read, including the last one. */
  onProgress?: ((record: T) => void) | undefined
}

type Polled = { status: string; retryAfterSeconds?: number }

const isTerminal = ({ status }: Polled): boolean =>
  status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED'

/** Enough for more than a minute of failed reads, so that waiting survives a server restart. */
export const pollAttempts = 20

/** Polls at the advised interval until the record has ended, in whatever status. */
export async function waitUntilTerminal<T extends Polled>(
  read: () => Promise<Answered>,
  { onProgress }: WaitOptions<T>,
  pause: (seconds: number) => Promise<void>,
): Promise<T> {
  for (;;) {
    const { data, retryAfterSeconds } = await read()
    // Not validated: the server guarantees the shape by its schema.
    const record = data as T
    onProgress?.(record)
    if (isTerminal(record)) return record
    await pause(Math.max(1, record.retryAfterSeconds ?? retryAfterSeconds ?? 1))
  }
}
