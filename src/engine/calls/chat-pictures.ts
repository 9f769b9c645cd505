// The conversation of a text call with its pictures loaded.
import { type RawPart, readContent } from '#core/chat-content.ts'
import { invalid } from '#core/errors.ts'
import type { CallMessage } from '#core/generation.ts'
import { abortSignalOf, type StopSignal } from '#core/stop.ts'
import type { MediaInput, Message, TextMessage } from '#providers/provider.ts'
import { type HeldPictures, type PictureMemory, PicturesTooLarge } from './picture-memory.ts'

export type ChatPictureDeps = {
  loadImage(url: string, signal: AbortSignal): Promise<MediaInput>
  pictures: PictureMemory
}

/** About what hosted models accept. Without a bound, one chat could request thousands. */
const maxPictures = 100

/** The messages of a call with their pictures, which are held until they are released. */
export type HeldMessages = { messages: Message[] } & Pick<HeldPictures, 'release'>

/** Most messages are plain text; then there is nothing to wait for and no promise is returned. */
export function holdMessages(
  deps: ChatPictureDeps,
  messages: CallMessage[],
  signal: StopSignal,
): HeldMessages | Promise<HeldMessages> {
  const read = messages.map(readMessage)
  return read.every(isPlain) ? { messages: read, release } : holdPictured(deps, read, signal)
}

const release = () => {}

async function holdPictured(
  { loadImage, pictures: memory }: ChatPictureDeps,
  messages: readonly ReadMessage[],
  signal: StopSignal,
): Promise<HeldMessages> {
  const parts = messages.flatMap((message) => (isPlain(message) ? [] : message.content))
  const urls = parts.flatMap((part) => (part.type === 'text' ? [] : [part.url]))
  if (urls.length > maxPictures) throw refused(`there are more than ${maxPictures}`)
  const abort = abortSignalOf(signal)
  const { pictures, release } = await memory
    .hold(urls, (url) => loadImage(url, abort), signal)
    .catch((error: unknown) => {
      const isTooLarge = error instanceof PicturesTooLarge
      throw isTooLarge ? refused('they are larger than 50 MiB together') : error
    })
  const loaded = pictures.values()
  const whole = messages.map((message) => {
    if (isPlain(message)) return message
    const content = message.content.map((part) =>
      part.type === 'text' ? part : { type: 'image' as const, media: nextOf(loaded) },
    )
    return { ...message, content }
  })
  return { messages: whole, release }
}

type Pictured = Omit<TextMessage, 'content'> & { content: RawPart[] }
/** A message whose pictures are still addresses. */
type ReadMessage = Message | Pictured

/** Tool calls and their results are passed on unchanged. */
function readMessage(message: CallMessage): ReadMessage {
  if (message.role === 'tool') return message
  const { role } = message
  const content = readContent(message.content)
  const calls = 'toolCalls' in message ? { toolCalls: message.toolCalls } : undefined
  return typeof content === 'string' ? { role, content, ...calls } : { role, content, ...calls }
}

const isPlain = (message: ReadMessage): message is Message => typeof message.content === 'string'

function nextOf(pictures: Iterator<MediaInput, undefined>): MediaInput {
  const { value } = pictures.next()
  if (!value) throw new Error('a picture was not loaded')
  return value
}

const refused = (why: string) =>
  invalid(
    'INVALID_REQUEST',
    [{ path: '/messages', rule: 'image_url', message: why }],
    `The pictures of the messages cannot be used: ${why}.`,
  )
