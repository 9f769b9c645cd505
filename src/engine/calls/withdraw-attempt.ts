import type { TextCall } from '#core/generation.ts'
import type { AttemptLedger } from './attempt-ledger.ts'

/**
 * A run may begin to end while an attempt of it is stored, or waits for room under a spend limit.
 * Then the call is not made, and the attempt has cost nothing.
 */
export async function withdraw(
  ledger: Pick<AttemptLedger, 'settle'>,
  { ending }: NonNullable<TextCall['origin']>,
  attempt: string,
): Promise<never> {
  const notMade = { outcome: 'REJECTED', units: {}, costMicros: 0 } as const
  await ledger.settle({ attempt, isOfRun: true, ...notMade })
  throw ending.reason
}
