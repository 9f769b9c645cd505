// The token for public calls: valid for 15 minutes, kept only in memory, renewed after 12. Never
// stored, never part of an address.
import { consoleCall } from './console-api.ts'

const renewBeforeMs = 3 * 60_000

type Held = { token: string; renewAtMs: number }
let held: Promise<Held> | null = null

export async function accessToken(): Promise<string> {
  const current = await held?.catch(() => null)
  if (current && Date.now() < current.renewAtMs) return current.token
  held = mint()
  return (await held).token
}

/** Called after a sign-out, and when the server has refused the token. */
export function dropAccessToken(): void {
  held = null
}

async function mint(): Promise<Held> {
  const askedAtMs = Date.now()
  const made = await consoleCall('POST /tokens', { body: {} })
  // Measured by our own clock: the server's may differ from this machine's.
  return { token: made.accessToken, renewAtMs: askedAtMs + 15 * 60_000 - renewBeforeMs }
}
