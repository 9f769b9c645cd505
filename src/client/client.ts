// The Agent API from JavaScript. Every operation is a function that returns the `data` of the
// response; it waits as long as the server advises and repeats only calls that are safe to
// repeat. Never imports from outside this folder, never logs, never reveals the key.
import type { ChatRequest, Completion, ModelList } from './generation-records.ts'
import { createRuns } from './runs.ts'
import { createGenerator, createTasks } from './tasks.ts'
import { createTemplates } from './templates.ts'
import { type CallOptions, createTransport, type Runtime, safe } from './transport.ts'
import { createTriggers } from './triggers.ts'
import { createWaits } from './waits.ts'
import { createWorkflows } from './workflows.ts'

export { AtelierError } from './atelier-error.ts'
export type { ErrorCode } from './error-codes.ts'
export type * from './generation-records.ts'
export type * from './run-records.ts'
export type { Submission } from './runs.ts'
export type * from './shared-records.ts'
export type { CallOptions } from './transport.ts'
export type * from './trigger-records.ts'
export {
  type RunEndedEvent,
  type RunEvent,
  type RunWaitingEvent,
  verifyWebhook,
  WebhookError,
} from './verify-webhook.ts'
export type { WaitOptions } from './wait.ts'
export type { WaitListOptions } from './waits.ts'
export type * from './workflow-records.ts'

export type ClientOptions = {
  /** The URL of the server without the API prefix: https://atelier.example.com */
  baseUrl: string
  /** An API key (sk_…) or a JWT. */
  apiKey: string
  /** Replaces the global fetch, for example to use a proxy. */
  fetch?: typeof fetch
  /** Aborts every call and every wait of this client. */
  signal?: AbortSignal
}

export type Client = ReturnType<typeof createClient>

/** In effect no limit, because a model may think for long; a signal or the server ends the call. */
const chatTimeoutMs = 2 ** 31 - 1

/**
 * Creates a client of one server. Every function resolves with the `data` of the response, or
 * rejects with an AtelierError.
 *
 *     const client = createClient({ baseUrl: 'http://127.0.0.1:8787', apiKey })
 *     const { status, outputs } = await client.runs.submitAndWait(7, { inputs: { name: 'world' } })
 *
 * Tests replace time and randomness with `runtime`.
 */
export function createClient(options: ClientOptions, runtime: Runtime = web) {
  const { signal } = options
  const send = createTransport(
    {
      baseUrl: readBaseUrl(options.baseUrl),
      apiKey: readKey(options.apiKey),
      fetch: options.fetch ?? ((...request) => fetch(...request)),
      signal,
    },
    runtime,
  )
  const sleep = (seconds: number, call: CallOptions) =>
    runtime.sleep(seconds * 1000, [signal, call.signal])
  return {
    models: {
      /** Lists the enabled models with their capabilities and prices. */
      async list(call?: CallOptions): Promise<ModelList> {
        const { data } = await send({ method: 'GET', path: '/models', safety: safe }, call)
        return data as ModelList
      },
    },
    chat: {
      /**
       * Resolves with the complete answer of a model. If the response is lost, this rejects with
       * OUTCOME_UNKNOWN instead of calling again, because the call may have been billed.
       */
      async create(request: ChatRequest, call?: CallOptions): Promise<Completion> {
        const { data } = await send(
          {
            method: 'POST',
            path: '/chat/completions',
            body: request,
            safety: {
              repeat: 'refused',
              ifLost: 'It may have been billed; repeating it may bill you again.',
            },
            timeoutMs: chatTimeoutMs,
          },
          call,
        )
        return data as Completion
      },
    },
    /** `generate` resolves as soon as the task is stored, `tasks.wait` when it has ended. */
    images: { generate: createGenerator(send, runtime, 'IMAGE') },
    /** `generate` resolves as soon as the task is stored, `tasks.wait` when it has ended. */
    videos: { generate: createGenerator(send, runtime, 'VIDEO') },
    tasks: createTasks(send, sleep),
    workflows: createWorkflows(send),
    templates: createTemplates(send),
    runs: createRuns(send, sleep),
    waits: createWaits(send),
    triggers: createTriggers(send),
  }
}

const web: Runtime = {
  nowMs: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signals) =>
    new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        for (const signal of signals) signal?.removeEventListener('abort', end)
        const aborted = signals.find((signal) => signal?.aborted)
        if (aborted) reject(aborted.reason)
        else resolve()
      }
      // A timer with a longer delay would fire immediately.
      const timer = setTimeout(end, Math.min(ms, 2 ** 31 - 1))
      for (const signal of signals) signal?.addEventListener('abort', end)
      if (signals.some((signal) => signal?.aborted)) end()
    }),
}

function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('baseUrl must be an http(s) address such as https://atelier.example.com')
  }
  return url.href.replace(/\/+$/, '')
}

/** Checked here, because the error that fetch throws for an invalid key would contain the key. */
function readKey(text: string): string {
  const key = text.trim()
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError('apiKey must be one line of printable ASCII')
  return key
}
