// Every provider, what it offers, and how to stand it against its double.
import type { TestContext } from 'node:test'
import type { Sampling } from '#core/text-stream.ts'
import type { Usage } from '#core/usage.ts'
import { createAnthropicProvider } from '#providers/anthropic/adapter.ts'
import { createFalProvider } from '#providers/fal/adapter.ts'
import { createGeminiProvider } from '#providers/gemini/adapter.ts'
import { createOpenAiProvider } from '#providers/openai/adapter.ts'
import type {
  CallOptions,
  ImageRequest,
  JobRef,
  MediaRequest,
  PollState,
  Provider,
  Submitted,
  TextDelta,
  TextRequest,
  TextResult,
  VideoRequest,
} from '#providers/provider.ts'
import { ProviderError } from '#providers/provider.ts'
import { createReplicateProvider } from '#providers/replicate/adapter.ts'
import { startDouble } from '../../support/provider-doubles/double.ts'
import type { Double } from '../../support/provider-doubles/double-state.ts'
import { type DoubleKind, wires } from '../../support/provider-doubles/wires.ts'

export type Subject = {
  title: string
  double: DoubleKind
  create(at: { baseUrl: string; apiKey: string }): Provider
  text?: TextRequest
  /** Of where to stop and what to choose from, what its API can be told. */
  sampling?: Sampling
  /** What its double counts apart, besides what the cache served. */
  usageParts?: Partial<Usage>
  image?: ImageRequest
  video?: VideoRequest
  /** Whether a submission leaves a job to poll, by kind. */
  synchronous: readonly MediaRequest['kind'][]
  /** Its jobs run to their end. */
  cannotCancel?: true
  /** The status that its synchronous calls document as an overload refusal. */
  overloaded?: number
}

const messages: TextRequest['messages'] = [{ role: 'user', content: 'Hello' }]
const sampling: Sampling = { stop: ['END', '##'], topP: 0.5 }
const image = (model: string): ImageRequest => ({ kind: 'IMAGE', model, prompt: 'A blue door' })
const video = (model: string): VideoRequest => ({ kind: 'VIDEO', model, prompt: 'A closing door' })

export const subjects: Subject[] = [
  {
    title: 'openai',
    double: 'openai',
    create: (at) => createOpenAiProvider({ name: 'openai', dialect: 'openai', ...at }),
    text: { model: 'gpt-6-luna', messages },
    image: image('gpt-image-2'),
    synchronous: ['IMAGE'],
    overloaded: 503,
  },
  {
    title: 'an OpenAI-compatible server',
    double: 'openai',
    create: (at) => createOpenAiProvider({ name: 'local', dialect: 'compatible', ...at }),
    text: { model: 'llama', messages },
    sampling,
    image: image('sdxl'),
    video: video('wan'),
    synchronous: ['IMAGE'],
    overloaded: 503,
  },
  {
    title: 'anthropic',
    double: 'anthropic',
    create: (at) => createAnthropicProvider({ name: 'anthropic', ...at }),
    text: { model: 'claude-haiku-5-5', messages },
    sampling: { stop: ['END', '##'] },
    usageParts: { cacheWriteTokens: 4 },
    synchronous: [],
    overloaded: 529,
  },
  {
    title: 'gemini',
    double: 'gemini',
    create: (at) => createGeminiProvider({ name: 'gemini', ...at }),
    text: { model: 'gemini-3.8-flash', messages },
    sampling,
    usageParts: { reasoningTokens: 2 },
    image: image('gemini-3.1-flash-image'),
    video: video('gemini-omni-1.1-flash'),
    synchronous: ['IMAGE'],
    overloaded: 503,
  },
  {
    title: 'a server that offers Veo',
    double: 'gemini',
    create: (at) => createGeminiProvider({ name: 'gemini', ...at }),
    video: video('veo-3.1-fast-generate-001'),
    synchronous: [],
    cannotCancel: true,
  },
  {
    title: 'fal',
    double: 'fal',
    create: (at) => createFalProvider({ name: 'fal', ...at }),
    image: image('fal-ai/nano-banana-2'),
    video: video('fal-ai/veo3.1/fast'),
    synchronous: [],
  },
  {
    title: 'replicate',
    double: 'replicate',
    create: (at) => createReplicateProvider({ name: 'replicate', ...at }),
    image: image('black-forest-labs/flux-schnell'),
    video: video('bytedance/seedance-2.0-fast'),
    synchronous: [],
  },
]

export const taskId = '0190d5a0-0000-7000-8000-000000000001'

export type Bench = {
  double: Double
  generateText(request: TextRequest, options?: CallOptions): Promise<TextResult>
  streamText(request: TextRequest, options?: CallOptions): AsyncIterator<TextDelta>
  submit(request: MediaRequest, options?: CallOptions): Promise<Submitted>
  poll(ref: JobRef, options?: CallOptions): Promise<PollState>
  provider: Provider
}

/** A provider joined to its double; both are closed when the test ends. */
export async function bench(
  t: TestContext,
  subject: Pick<Subject, 'double' | 'create'>,
  options: { key?: string; apiKey?: string } = {},
): Promise<Bench> {
  const double = await startDouble(wires[subject.double], options)
  const provider = subject.create({ baseUrl: double.url, apiKey: options.apiKey ?? double.key })
  t.after(async () => {
    await double.close()
    await provider.close?.()
  })
  const patient: CallOptions = { signal: new AbortController().signal }
  return {
    double,
    provider,
    generateText: (request, given = patient) =>
      must(provider.generateText, 'generateText').call(provider, request, given),
    streamText: (request, given = patient) =>
      must(provider.streamText, 'streamText')
        .call(provider, request, given)
        [Symbol.asyncIterator](),
    submit: (request, given = patient) =>
      must(provider.submit, 'submit').call(provider, request, { ...given, taskId }),
    poll: (ref, given = patient) => must(provider.poll, 'poll').call(provider, ref, given),
  }
}

function must<T>(method: T | undefined, name: string): T {
  if (method === undefined) throw new Error(`the provider has no ${name}`)
  return method
}

/** What a call failed with; a call that succeeds is a failure of the test. */
export async function failureOf(call: Promise<unknown>): Promise<ProviderError> {
  try {
    await call
  } catch (error) {
    if (error instanceof ProviderError) return error
    throw error
  }
  throw new Error('the call succeeded')
}

export function refOf(submitted: Submitted): JobRef {
  if (!('ref' in submitted)) throw new Error('the submission left no job')
  return submitted.ref
}

/** Every kind of medium each provider offers, as one table. */
export const media = subjects.flatMap((subject) =>
  [subject.image, subject.video].flatMap((request) =>
    request === undefined
      ? []
      : [
          {
            subject,
            request,
            title: `${subject.title} ${request.kind.toLowerCase()}`,
            synchronous: subject.synchronous.includes(request.kind),
          },
        ],
  ),
)

export const texts = subjects.flatMap((subject) =>
  subject.text === undefined ? [] : [{ subject, request: subject.text, title: subject.title }],
)

/** Everything that may be billed: one call of each kind each provider offers. */
export const billable = [
  ...texts.map(({ subject, request, title }) => ({
    subject,
    title: `${title} text`,
    route: 'chat' as const,
    call: (it: Bench, options?: CallOptions): Promise<unknown> => it.generateText(request, options),
  })),
  ...media.map(({ subject, request, title }) => ({
    subject,
    title,
    route: 'submit' as const,
    call: (it: Bench, options?: CallOptions): Promise<unknown> => it.submit(request, options),
  })),
]
