// Requests for images and videos: which settings a model accepts, and the body to send.
import type { Model } from '#console/api/types.ts'

export type CreativeKind = 'IMAGE' | 'VIDEO'

/** By their names in the API; only what the person chose. */
export type CreativeSettings = {
  imageAspectRatio?: string
  imageQuality?: string
  imageSampleSize?: string
  videoAspectRatio?: string
  videoResolution?: string
  videoSeconds?: number
  videoGenerateAudio?: boolean
}

type Choice = { key: keyof CreativeSettings; label: string; values: readonly string[] }

/** The settings that are chosen from a list, as the model declares them. */
export const choicesOf = ({ kind, capabilities: c }: Model): Choice[] =>
  (kind === 'IMAGE'
    ? [
        { key: 'imageAspectRatio' as const, label: 'Aspect ratio', values: c.imageAspectRatios },
        { key: 'imageQuality' as const, label: 'Quality', values: c.imageQualities },
        { key: 'imageSampleSize' as const, label: 'Size', values: c.imageSampleSizes },
      ]
    : [
        { key: 'videoAspectRatio' as const, label: 'Aspect ratio', values: c.videoAspectRatios },
        { key: 'videoResolution' as const, label: 'Resolution', values: c.videoResolutions },
      ]
  ).flatMap(({ values, ...rest }) => (values && values.length > 0 ? [{ ...rest, values }] : []))

/** Settings chosen for another model are dropped if this one does not accept them. */
export function fittingSettings(model: Model, settings: CreativeSettings): CreativeSettings {
  const fitting: CreativeSettings = {}
  for (const { key, values } of choicesOf(model)) {
    const value = settings[key]
    if (typeof value === 'string' && values.includes(value))
      Object.assign(fitting, { [key]: value })
  }
  const { videoSeconds: range, videoAudio } = model.capabilities
  const seconds = settings.videoSeconds
  if (model.kind === 'VIDEO' && range && seconds !== undefined)
    fitting.videoSeconds = nearestSeconds(range, seconds)
  if (model.kind === 'VIDEO' && videoAudio && settings.videoGenerateAudio !== undefined)
    fitting.videoGenerateAudio = settings.videoGenerateAudio
  return fitting
}

type Seconds = NonNullable<Model['capabilities']['videoSeconds']>

/** Of two lengths that are equally close, the shorter: it costs less. */
const nearestSeconds = ({ min, max, values }: Seconds, seconds: number): number =>
  values
    ? values.reduce((best, value) =>
        Math.abs(value - seconds) < Math.abs(best - seconds) ? value : best,
      )
    : Math.min(max, Math.max(min, seconds))

export const takesPicture = ({ capabilities }: Model): boolean =>
  capabilities.inputModalities.includes('image')

export type CreativeRequest = {
  model: string
  prompt: string
  settings: CreativeSettings
  image?: string | undefined
  /** The address of a mask for the picture. */
  mask?: string | undefined
  seed?: number | undefined
}

export const takesMask = ({ capabilities }: Model): boolean => capabilities.mask === true

export const takesSeed = ({ capabilities }: Model): boolean =>
  capabilities.mediaOptions?.includes('seed') ?? false

/** The largest seed that every provider accepts: 31 bits. */
const maxSeed = 2 ** 31 - 1

/** Undefined for an empty field, null for what is no seed. */
export function readSeed(text: string): number | undefined | null {
  if (text.trim() === '') return undefined
  const seed = Number(text)
  return Number.isInteger(seed) && seed >= 0 && seed <= maxSeed ? seed : null
}

/** One request for each; with a seed, each has its own, so that they differ. */
export const requestsOf = (request: CreativeRequest, count: number): CreativeRequest[] =>
  Array.from({ length: count }, (_, index) =>
    request.seed === undefined
      ? request
      : { ...request, seed: (request.seed + index) % (maxSeed + 1) },
  )

export const creativeBody = ({ model, prompt, settings, image, mask, seed }: CreativeRequest) => ({
  model,
  messages: [
    {
      role: 'user',
      content: image
        ? [
            { type: 'text', text: prompt },
            { type: 'image_url', image_url: { url: image } },
          ]
        : prompt,
    },
  ],
  ...settings,
  ...(mask === undefined ? {} : { mask }),
  ...(seed === undefined ? {} : { seed }),
})

export const creativePath = (kind: CreativeKind): string =>
  kind === 'IMAGE' ? '/images/generations' : '/videos/generations'

/** The same request as a workflow: the prompt becomes an input, the result an output. */
export function asGraph(kind: CreativeKind, request: CreativeRequest) {
  const { model, prompt, settings } = request
  const made = kind === 'IMAGE' ? 'image' : 'video'
  const pictures = picturesOf(request)
  return {
    nodes: [
      {
        id: 'prompt',
        type: 'input.text',
        position: { x: 0, y: 0 },
        data: { label: 'Prompt', default: prompt, required: false },
      },
      ...pictures.map(({ id, label, url }, index) => ({
        id,
        type: 'input.image',
        position: { x: 0, y: 180 * (index + 1) },
        data: { label, default: url, required: false },
      })),
      {
        id: 'generate',
        type: `${made}.generate`,
        position: { x: 320, y: 0 },
        data: { model, ...settings },
      },
      { id: 'result', type: 'output', position: { x: 640, y: 0 }, data: { label: 'Result' } },
    ],
    connections: [
      { source: 'prompt', sourceHandle: 'value', target: 'generate', targetHandle: 'prompt' },
      ...pictures.map(({ id, port }) => ({
        ...{ source: id, sourceHandle: 'value', target: 'generate', targetHandle: port },
      })),
      { source: 'generate', sourceHandle: made, target: 'result', targetHandle: 'value' },
    ],
  }
}

const picturesOf = ({ image, mask }: CreativeRequest) => [
  ...(image ? [{ id: 'reference', label: 'Reference', url: image, port: 'image' }] : []),
  ...(mask ? [{ id: 'mask', label: 'Mask', url: mask, port: 'mask' }] : []),
]
