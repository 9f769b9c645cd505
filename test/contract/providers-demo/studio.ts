// The demo provider as its tests meet it, and a look into what it made.
import { Resvg } from '@resvg/resvg-js'
import { BufferSource, EncodedPacketSink, Input, MP4 } from 'mediabunny'
import { createDemoProvider } from '#providers/demo/adapter.ts'
import type { DemoOptions } from '#providers/demo/options.ts'
import type {
  ImageRequest,
  MediaRequest,
  Provider,
  ProviderError,
  VideoRequest,
} from '#providers/provider.ts'

export const never = new AbortController().signal

export async function withProvider<T>(
  use: (
    provider: Required<Pick<Provider, 'generateText' | 'submit' | 'find' | 'close'>>,
  ) => Promise<T>,
  options: DemoOptions = {},
): Promise<T> {
  const { generateText, submit, find, close } = createDemoProvider(options)
  if (!generateText || !submit || !find || !close) throw new Error('The provider lacks a call')
  try {
    return await use({ generateText, submit, find, close })
  } finally {
    await close()
  }
}

type Submit = NonNullable<Provider['submit']>

export const image = (prompt: string, extra: Partial<ImageRequest> = {}): ImageRequest => ({
  kind: 'IMAGE',
  model: 'demo-image',
  prompt,
  sampleSize: '512',
  ...extra,
})

/** As short and small as a film can be. */
export const film = (prompt: string, extra: Partial<VideoRequest> = {}): VideoRequest => ({
  kind: 'VIDEO',
  model: 'demo-video',
  prompt,
  seconds: 1,
  resolution: '360p',
  aspectRatio: '1:1',
  ...extra,
})

export async function make(submit: Submit, request: MediaRequest, signal = never): Promise<Buffer> {
  const submitted = await submit(request, { signal, taskId: 'task' })
  const [output] = 'done' in submitted ? submitted.done : []
  if (!output || !('bytes' in output)) throw new Error('The submission brought no bytes')
  return Buffer.from(output.bytes)
}

export const chat = (content: string) => ({
  model: 'demo-text',
  messages: [{ role: 'user' as const, content }],
})

/** Width and height of a PNG, and the colour of a point given as shares of them. */
export function lookAt(png: Buffer) {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><image width="${width}" height="${height}" href="data:image/png;base64,${png.toString('base64')}"/></svg>`
  const { pixels } = new Resvg(svg).render()
  const colorAt = (x: number, y: number) => {
    const at = (Math.floor(y * height) * width + Math.floor(x * width)) * 4
    return [...pixels.subarray(at, at + 3)]
  }
  return { width, height, colorAt }
}

/** A picture of one colour. */
export const plainPicture = (color: string, width = 64, height = 48): Buffer =>
  new Resvg(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${color}"/></svg>`,
  )
    .render()
    .asPng()

export async function lookInto(mp4: Buffer) {
  using input = new Input({ source: new BufferSource(mp4), formats: [MP4] })
  const track = await input.getPrimaryVideoTrack()
  if (!track) throw new Error('There is no video track')
  const config = await track.getDecoderConfig()
  const packets: { timestamp: number; type: string }[] = []
  for await (const { timestamp, type } of new EncodedPacketSink(track).packets()) {
    packets.push({ timestamp, type })
  }
  return {
    codec: config?.codec,
    width: config?.codedWidth,
    height: config?.codedHeight,
    colorSpace: config?.colorSpace,
    seconds: await input.computeDuration(),
    tracks: (await input.getTracks()).length,
    packets,
  }
}

/** The names of the outermost boxes, in their order. */
export function boxesOf(mp4: Buffer): string[] {
  const names: string[] = []
  for (let at = 0; at < mp4.length; at += mp4.readUInt32BE(at)) {
    names.push(mp4.toString('latin1', at + 4, at + 8))
  }
  return names
}

export const isProviderError = (kind: ProviderError['kind'], outcome: ProviderError['outcome']) =>
  ({ name: 'ProviderError', kind, outcome }) as const
