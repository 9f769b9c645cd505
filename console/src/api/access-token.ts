// The token for public calls: 15 minutes, in memory alone, renewed at 12. Never stored, never in
// an address.
import { developerCall } from './developer-api.ts'

const renewBeforeMs = 3 * 60_000

type Held = { token: string; renewAtMs: number }
let held: Promise<Held> | null = null

export async function accessToken(): Promise<string> {
  const current = await held?.catch(() => null)
  if (current && Date.now() < current.renewAtMs) return current.token
  held = mint()
  return (await held).token
}

/** After a sign-out, or where the server refused the token. */
export function dropAccessToken(): void {
  held = null
}

async function mint(): Promise<Held> {
  const askedAtMs = Date.now()
  const made = await developerCall('POST /tokens', { body: {} })
  // Our own clock measures the age: the server's may differ from this machine's.
  return { token: made.accessToken, renewAtMs: askedAtMs + 15 * 60_000 - renewBeforeMs }
}
