import { lookup } from 'node:dns/promises'
import { within } from '#core/deadline.ts'
import { OutboundFailed } from './outbound-errors.ts'

/** All addresses of a name, or a rejection. Injected, so that tests can play a hostile resolver. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

export const systemResolve: Resolve = async (hostname) => {
  const found = await lookup(hostname, { all: true, order: 'verbatim' })
  return found.map(({ address }) => address)
}

/** Never resolves to an empty list: no addresses, a failure and a timeout all reject. */
export async function resolveWithin(
  resolve: Resolve,
  hostname: string,
  timeoutMs: number,
): Promise<readonly string[]> {
  const failed = (message: string, cause?: unknown) =>
    new OutboundFailed('dns', { sent: false, message, cause })
  const answer = resolve(hostname).catch((cause) => {
    throw failed('The name could not be resolved.', cause)
  })
  const addresses = await within(timeoutMs, answer, () => {
    throw failed('The name was not resolved in time.')
  })
  if (addresses.length === 0) throw failed('The name has no addresses.')
  return addresses
}
