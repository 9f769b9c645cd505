import { systemClock } from '#core/clock.ts'
import { type Finding, fail, ok, reasonOf, warn } from '#operate/doctor/finding.ts'
import { connect } from '../connection.ts'
import { findKey, type Settings } from '../settings.ts'
import { reportFailure } from '../terminal/failure.ts'
import { count } from '../terminal/show.ts'
import { readDeployments } from './models.ts'

const timeoutMs = 5000

type ReadyAnswer = { status?: string; media?: string; error?: { message?: string } }

/** Checks whether the server is reachable, ready, and accepts the key. */
export async function checkServer(settings: Settings, signal: AbortSignal): Promise<Finding[]> {
  const ready = await checkReady(settings, signal)
  const plain = checkEncryption(settings)
  if (ready.level !== 'ok') return [...plain, ready]
  const key = await checkKey(settings, signal)
  const deployments = key.level === 'ok' ? await checkDeployments(settings, signal) : []
  return [...plain, ready, key, ...deployments]
}

const adviceFor: Record<string, string> = {
  refused: 'The provider refuses the key: replace it, or add credit. It is tried again by itself.',
  failing: 'Calls keep failing with it; others are made with the other keys.',
  busy: 'The provider asked to wait; others are made with the other keys.',
}

/** The server's keys, where it has several of a provider, as it sees them now. */
async function checkDeployments(settings: Settings, signal: AbortSignal): Promise<Finding[]> {
  const deployments = await readDeployments({ settings, signal })
  return deployments.map(({ provider, name, state, until }) => {
    const check = `deployment ${provider}/${name}`
    const advice = adviceFor[state]
    return advice === undefined
      ? ok(check, state)
      : warn(check, until === null ? state : `${state} until ${until}`, advice)
  })
}

async function checkReady({ url, isLoopback }: Settings, signal: AbortSignal): Promise<Finding> {
  const check = 'server'
  try {
    const answer = await fetch(`${url}/readyz`, {
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    const { status, media, error } = (await answer.json().catch(() => ({}))) as ReadyAnswer
    if (answer.ok && status === 'ready' && media === 'unavailable')
      return warn(check, `${url} is ready, but not its media`, 'Check MEDIA_URL and that store.')
    if (answer.ok && status === 'ready') return ok(check, `${url} is ready`)
    return answer.status === 503
      ? fail(check, `${url}: ${error?.message ?? 'not ready'}`, 'Read its log for the reason.')
      : fail(
          check,
          `${url} answers, but is not an Atelier server`,
          'Set ATELIER_URL to the right address.',
        )
  } catch (error) {
    if (signal.aborted) throw signal.reason
    const message = `${url} cannot be reached: ${reasonOf(error)}`
    return isLoopback
      ? warn(check, message, 'Start it with "atelier start", or set ATELIER_URL.')
      : fail(check, message, 'Check ATELIER_URL, the network, and that the server is running.')
  }
}

function checkEncryption({ url, isLoopback }: Settings): Finding[] {
  if (isLoopback || url.startsWith('https:')) return []
  const advice = 'Use the https address of the server.'
  return [warn('connection', `${url} sends the key over the network unencrypted`, advice)]
}

async function checkKey(settings: Settings, signal: AbortSignal): Promise<Finding> {
  const check = 'key'
  const found = findKey(settings)
  if (!found) return fail(check, 'there is no API key to use', 'Set ATELIER_API_KEY.')
  try {
    const { total } = await connect({ settings, clock: systemClock }).models.list({ signal })
    return ok(check, `${found.from} is accepted; ${count(total, 'model')}`)
  } catch (error) {
    const { message, hint } = reportFailure(error, settings.url)
    return fail(check, `${found.from}: ${message}`, hint ?? 'Set ATELIER_API_KEY.')
  }
}
