// The conversation of a text call with its pictures loaded.
import { type RawPart, readContent } from '#core/chat-content.ts'
import { invalid } from '#core/errors.ts'
import type { CallMessage, TextCall } from '#core/generation.ts'
import { abortSignalOf, type StopSignal } from '#core/stop.ts'
import type {
  ContentPart,
  MediaInput,
  Message,
  TextMessage,
  ToolResult,
} from '#providers/provider.ts'
import { type HeldPictures, type PictureMemory, PicturesTooLarge } from './picture-memory.ts'

export type ChatPictureDeps = {
  loadImage(url: string, signal: AbortSignal): Promise<MediaInput>
  loadDocument(url: string, signal: AbortSignal): Promise<MediaInput>
  pictures: PictureMemory
}

/** About what hosted models accept. Without a bound, one chat could request thousands. */
const maxPictures = 100

/** The messages of a call with their pictures, which are held until they are released. */
export type HeldMessages = { messages: Message[] } & Pick<HeldPictures, 'release'>

/** Most messages are plain text; then there is nothing to wait for and no promise is returned. */
export function holdMessages(
  deps: ChatPictureDeps,
  { messages, principal }: Pick<TextCall, 'messages' | 'principal'>,
  signal: StopSignal,
): HeldMessages | Promise<HeldMessages> {
  const read = messages.map(readMessage)
  if (read.every(isPlain)) return { messages: read, release }
  return holdPictured(deps, principal.accountId, read, signal)
}

const release = () => {}

async function holdPictured(
  { loadImage, loadDocument, pictures: memory }: ChatPictureDeps,
  accountId: string,
  messages: readonly ReadMessage[],
  signal: StopSignal,
): Promise<HeldMessages> {
  const files = messages
    .flatMap((message) => (isPlain(message) ? [] : message.content))
    .filter((part) => part.type !== 'text')
  if (files.length > maxPictures) throw refused(`there are more than ${maxPictures}`)
  const abort = abortSignalOf(signal)
  const load = ({ type, url }: FilePart) =>
    type === 'document' ? loadDocument(url, abort) : loadImage(url, abort)
  const { pictures, release } = await memory
    .hold(accountId, files, load, signal)
    .catch((error: unknown) => {
      const isTooLarge = error instanceof PicturesTooLarge
      throw isTooLarge ? refused('they are larger than 50 MiB together') : error
    })
  const loaded = pictures.values()
  const whole = messages.map((message) => {
    if (isPlain(message)) return message
    return { ...message, content: message.content.map((part) => loadedPart(part, loaded)) }
  })
  return { messages: whole, release }
}

type FilePart = Exclude<RawPart, { type: 'text' }>

function loadedPart(part: RawPart, loaded: Iterator<MediaInput, undefined>): ContentPart {
  if (part.type === 'text') return part
  const { type, url: _, ...rest } = part
  return { ...rest, type: type === 'document' ? type : 'image', media: nextOf(loaded) }
}

/** A message whose pictures are still addresses. */
type Pictured = (Omit<TextMessage, 'content'> | Omit<ToolResult, 'content'>) & {
  content: readonly RawPart[]
}
type ReadMessage = Message | Pictured

function readMessage(message: CallMessage): ReadMessage {
  const content = readContent(message.content)
  return typeof content === 'string' ? { ...message, content } : { ...message, content }
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
