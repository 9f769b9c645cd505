// Clients whose client_id is an https URL that serves their description (OAuth Client ID Metadata
// Document). They do not register, and the URL proves which host they belong to.
import { createBoundedMap } from '#core/bounded-map.ts'
import type { Clock } from '#core/clock.ts'
import type { OAuthClient } from '#store/tables/oauth-clients.ts'
import { readClientMetadata } from './client-metadata.ts'
import { OAuthError } from './oauth-error.ts'

/** Reads a URL that a stranger chose: through the gateway, limited in size and time. */
export type FetchDocument = (url: string) => Promise<{ status: number; text: string }>

// A changed redirect URI takes effect within this time, in which each document is fetched once.
const keptMs = 5 * 60_000
const maxKept = 500

type Kept = { client: OAuthClient; untilMs: number }

export const isDocumentId = (clientId: string): boolean => clientId.startsWith('https://')

export function createClientDocuments(deps: { fetchDocument: FetchDocument; clock: Clock }) {
  const kept = createBoundedMap<Kept>({ maxEntries: maxKept })

  return {
    /** `admit` is called before anything is fetched. */
    async read(clientId: string, admit: () => void): Promise<OAuthClient> {
      const nowMs = deps.clock.nowMs()
      const known = kept.get(clientId)
      if (known && nowMs < known.untilMs) return known.client
      checkClientId(clientId)
      admit()
      const client = readDocument(clientId, await fetchText(deps.fetchDocument, clientId))
      kept.set(clientId, { client, untilMs: nowMs + keptMs })
      return client
    },
  }
}

/** Allows one spelling per document, and none that could mislead people on the consent page. */
function checkClientId(clientId: string) {
  const url = URL.parse(clientId)
  const isPlain = url !== null && url.href === clientId && url.pathname !== '/'
  if (isPlain && url.hash === '' && url.username === '' && url.password === '') return
  throw new OAuthError('invalid_client', 'client_id is not a plain https URL with a path.')
}

async function fetchText(fetchDocument: FetchDocument, url: string): Promise<string> {
  const answer = await fetchDocument(url).catch(() => null)
  if (answer?.status === 200) return answer.text
  const what = answer ? `answered ${answer.status}` : 'could not be read'
  throw new OAuthError('invalid_client', `The document at ${url} ${what}.`)
}

function readDocument(clientId: string, text: string): OAuthClient {
  const body = parse(text, clientId)
  const { client_id: stated, token_endpoint_auth_method: method } = (body ?? {}) as Record<
    string,
    unknown
  >
  // Otherwise any page that echoes JSON could describe a client for its host.
  if (stated !== clientId) {
    throw new OAuthError('invalid_client', `The document at ${clientId} names another client_id.`)
  }
  if (typeof method === 'string' && method.startsWith('client_secret')) {
    throw new OAuthError('invalid_client', 'A published client can have no secret.')
  }
  return { id: clientId, ...readClientMetadata(body) }
}

function parse(text: string, url: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new OAuthError('invalid_client', `The document at ${url} is not JSON.`)
  }
}
