import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Signed URLs contain our own address, so the port must be known before routes are mounted. */
export type ReservedPort = {
  port: number
  /** Called directly before listening. Until then nobody else can take the port. */
  release(): Promise<void>
}

export async function reservePort(host: string, port: number): Promise<ReservedPort> {
  if (port !== 0) return { port, release: async () => {} }
  const holder = createServer((stranger) => stranger.destroy()).listen(0, host)
  await once(holder, 'listening')
  holder.unref()
  return {
    port: (holder.address() as AddressInfo).port,
    async release() {
      if (holder.listening) await new Promise((resolve) => holder.close(resolve))
    },
  }
}
