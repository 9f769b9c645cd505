// What is outside the server: a provider that bills what it accepts, an address that acts on what it
// is sent, and the receiver of webhooks. They outlive every process, and count what they did; the
// seed decides what they answer, and which answers arrive.
import type { Readable } from 'node:stream'
import { TimeUp } from '#core/interruptions.ts'
import type { StopSignal } from '#core/stop.ts'
import type { Gateway, GatewayResponse } from '#outbound/gateway.ts'
import { OutboundFailed } from '#outbound/outbound-errors.ts'
import {
  type JobRef,
  type PollState,
  type Provider,
  ProviderError,
  type Submitted,
} from '#providers/provider.ts'
import { type Actor, newActor, type Scheduler } from './scheduler.ts'

type Submission = { hasArrived: boolean; isVoid: boolean }
type Job = { taskId: string; pollsLeft: number; isGood: boolean }
type Received = { webhookId: string; status: string }

export type Outside = {
  /** What each accepted text call cost, by prompt. */
  texts: Map<string, number[]>
  /** How often a task was accepted. */
  jobs: Map<string, Job[]>
  /** How often a body was acted on. */
  acts: Map<string, number>
  /** Webhooks that arrived, by run. */
  webhooks: Map<string, Received[]>
  /** Once calm, everything succeeds. */
  isCalm: boolean
  providerOf(actor: Actor): Provider
  gatewayOf(actor: Actor): Gateway
}

/** What becomes of a request that arrived; `silence`: no answer will ever come. */
type Served<T> = { answer: T } | { error: Error } | 'silence'

const network = newActor('network')

export function createOutside(scheduler: Scheduler, { canFind }: { canFind: boolean }): Outside {
  const { random } = scheduler
  const submissions = new Map<string, Submission[]>()
  const failures = new Map<string, number>()
  const outside: Outside = {
    texts: new Map(),
    jobs: new Map(),
    acts: new Map(),
    webhooks: new Map(),
    isCalm: false,
    providerOf: (actor) => providerOf({ ...world, actor }, submissions, canFind),
    gatewayOf: (actor) => ({
      check: async (url) => new URL(url),
      request: (url, options) => request({ ...world, actor }, url, options),
      close: async () => {},
    }),
  }
  const isTrouble = (percent: number) => !outside.isCalm && random.below(100) < percent
  const mayFail = (what: string) => {
    if (!isTrouble(30) || (failures.get(what) ?? 0) > 0) return false
    failures.set(what, 1)
    return true
  }
  const world: Omit<World, 'actor'> = { scheduler, outside, isTrouble, mayFail }
  return outside
}

type World = {
  scheduler: Scheduler
  outside: Outside
  actor: Actor
  isTrouble(percent: number): boolean
  /** At most once for each delivery: the second pause of its schedule is long. */
  mayFail(what: string): boolean
}

/** A request that the network carries, with an answer that may be late, or never come. */
function exchange<T>(
  { scheduler, actor, isTrouble }: World,
  what: string,
  signal: StopSignal,
  aborted: () => Error,
  serve: () => Served<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(aborted())
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort)
    const settle = (served: Exclude<Served<T>, 'silence'>) => {
      signal.removeEventListener('abort', onAbort)
      if ('error' in served) reject(served.error)
      else resolve(served.answer)
    }
    scheduler.add(network, `${actor.name} ${what}`, () => {
      const served = serve()
      if (served === 'silence') return
      const delayMs = isTrouble(20) ? scheduler.random.below(20_000) : scheduler.random.below(300)
      scheduler.addIn(delayMs, actor, `answer to ${what}`, () => settle(served))
    })
  })
}

const failed = (outcome: 'not_sent' | 'rejected' | 'unknown', isFree = false) =>
  new ProviderError(outcome === 'not_sent' ? 'unreachable' : 'server', {
    ...{ outcome, isFree, message: `simulated: ${outcome}` },
  })

/** As the adapters do it: a request that was sent may have arrived. */
const abortedCall = (signal: StopSignal) => () =>
  new ProviderError(signal.reason instanceof TimeUp ? 'timeout' : 'canceled', {
    ...{ outcome: 'unknown', message: 'simulated: aborted' },
  })

/** Why a call is not accepted, if it is not. */
function refusal({ isTrouble, scheduler: { random } }: World): Served<never> | undefined {
  if (!isTrouble(22)) return undefined
  const kind = random.below(8)
  if (kind < 3) return { error: failed('rejected') }
  if (kind === 3) return { error: failed('not_sent') }
  if (kind === 4) return { error: failed('unknown') }
  if (kind === 5) return { error: failed('unknown', true) }
  if (kind === 6) {
    const refused = { outcome: 'rejected' as const, message: 'simulated: content' }
    return { error: new ProviderError('content', refused) }
  }
  return 'silence'
}

function providerOf(
  world: World,
  submissions: Map<string, Submission[]>,
  canFind: boolean,
): Provider {
  const { outside, scheduler, isTrouble } = world
  const { random } = scheduler
  const lost = (): Served<never> => (random.chance(0.5) ? 'silence' : { error: failed('unknown') })
  return {
    name: 'double',
    generateText({ messages }, { signal }) {
      const prompt = String(messages[0]?.content)
      return exchange(world, 'text', signal, abortedCall(signal), () => {
        const refused = refusal(world)
        if (refused) return refused
        const usage = { inputTokens: 1, outputTokens: 1 + random.below(900) }
        const cost = usage.inputTokens + usage.outputTokens
        outside.texts.set(prompt, [...(outside.texts.get(prompt) ?? []), cost])
        if (isTrouble(6)) return lost()
        return { answer: { text: `${prompt}+`, finish: 'stop', usage, requestId: null } }
      })
    },
    submit(_, { signal, taskId }) {
      const submission = { hasArrived: false, isVoid: false }
      submissions.set(taskId, [...(submissions.get(taskId) ?? []), submission])
      return exchange<Submitted>(world, 'submission', signal, abortedCall(signal), () => {
        if (submission.isVoid) return 'silence'
        submission.hasArrived = true
        const refused = refusal(world)
        if (refused) return refused
        const isGood = !isTrouble(15)
        const job: Job = { taskId, pollsLeft: random.below(3), isGood }
        outside.jobs.set(taskId, [...(outside.jobs.get(taskId) ?? []), job])
        if (isTrouble(8)) return lost()
        if (isGood && random.chance(0.2)) return { answer: { done: [picture] } }
        return { answer: { ref: refOf(taskId) } }
      })
    },
    poll: ({ id }, { signal }) =>
      exchange<PollState>(world, 'poll', signal, abortedCall(signal), () => {
        const [job] = outside.jobs.get(id) ?? []
        if (isTrouble(15) || !job) return { error: failed('rejected') }
        if (job.pollsLeft-- > 0) return { answer: { state: 'running', nextMs: 1_000 } }
        if (!job.isGood) return { answer: { state: 'failed', error: failed('rejected') } }
        return { answer: { state: 'succeeded', outputs: [picture] } }
      }),
    cancel: (_, { signal }) =>
      exchange(world, 'cancel', signal, abortedCall(signal), () => ({ answer: 'too_late' })),
    ...(canFind
      ? {
          find: ({ taskId }, { signal }) =>
            exchange<JobRef | null>(world, 'find', signal, abortedCall(signal), () => {
              if (isTrouble(20)) return { error: failed('rejected') }
              if (outside.jobs.has(taskId)) return { answer: refOf(taskId) }
              // What it says about a submission stays true, even if that is still under way.
              for (const one of submissions.get(taskId) ?? []) one.isVoid ||= !one.hasArrived
              return { answer: null }
            }),
        }
      : {}),
  }
}

const picture = { bytes: new Uint8Array(1), mimeType: 'image/png' }
const refOf = (id: string): JobRef => ({ v: 1, provider: 'double', id })

type GatewayOptions = Parameters<Gateway['request']>[1]

async function request(
  world: World,
  url: string,
  { body, signal, timeoutMs, headers = {} }: GatewayOptions,
): Promise<GatewayResponse> {
  const { scheduler, actor } = world
  const cut = new AbortController()
  const cancel = scheduler.addIn(timeoutMs, actor, 'time is up', () => cut.abort())
  const aborted = () =>
    new OutboundFailed(cut.signal.aborted ? 'timeout' : 'aborted', { sent: true, message: 'cut' })
  const either = AbortSignal.any([signal, cut.signal])
  const serve = () =>
    url.startsWith('https://hook.test/')
      ? receive(world, String(headers['webhook-id']), String(body))
      : act(world, String(body))
  return exchange(world, url, either, aborted, serve).finally(cancel)
}

const answered = (status: number): { answer: GatewayResponse } => ({
  answer: { status, headers: {}, body: bodyOf('ok') },
})

const bodyOf = (text: string) =>
  ({
    async *[Symbol.asyncIterator]() {
      yield Buffer.from(text)
    },
  }) as unknown as Readable

const cutOff = (sent: boolean): Served<never> => ({
  error: new OutboundFailed(sent ? 'reset' : 'connect', { sent, message: 'simulated' }),
})

function act({ outside, isTrouble, scheduler }: World, body: string): Served<GatewayResponse> {
  if (isTrouble(10)) return cutOff(false)
  if (isTrouble(5)) return answered(503)
  outside.acts.set(body, (outside.acts.get(body) ?? 0) + 1)
  if (isTrouble(8)) return scheduler.random.chance(0.5) ? 'silence' : cutOff(true)
  return answered(200)
}

function receive(world: World, webhookId: string, body: string): Served<GatewayResponse> {
  const { outside, scheduler, mayFail } = world
  const { random } = scheduler
  const fails = mayFail(webhookId)
  if (fails && random.chance(0.3)) return cutOff(false)
  if (fails && random.chance(0.3)) return answered(500)
  const { runId, status } = JSON.parse(body).data
  outside.webhooks.set(runId, [...(outside.webhooks.get(runId) ?? []), { webhookId, status }])
  if (fails) return random.chance(0.5) ? 'silence' : cutOff(true)
  return answered(200)
}
