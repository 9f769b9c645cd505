import type { Media, Run } from '#client/client.ts'
import { download } from '../arguments/download.ts'
import type { Cli } from '../command.ts'
import { prose, word } from './printer.ts'

const isMedia = (value: unknown): value is Media => {
  const { url, mimeType, sizeBytes } = (value ?? {}) as Partial<Media>
  return typeof url === 'string' && typeof mimeType === 'string' && typeof sizeBytes === 'number'
}

/** Pictures and videos among the outputs, including those in lists. */
const mediaOf = (outputs: Run['outputs']): { media: Media; stem: string }[] =>
  Object.entries(outputs ?? {}).flatMap(([name, value]) => {
    const found = (Array.isArray(value) ? value : [value]).filter(isMedia)
    return found.map((media, i) => ({ media, stem: i === 0 ? name : `${name}-${i + 1}` }))
  })

/** The path of each saved picture and video, by its output value. */
export type SavedOutputs = ReadonlyMap<unknown, string>

/** File names contain the run ID, so that runs of one workflow never overwrite each other's. */
export async function saveOutputs(
  run: Run,
  folder: string,
  signal: AbortSignal,
): Promise<SavedOutputs> {
  const items = mediaOf(run.outputs)
  const named = items.map(({ media, stem }) => ({ media, stem: `${stem}-${run.runId}` }))
  const paths = await download(named, folder, signal)
  return new Map(items.map(({ media }, i) => [media, paths[i] ?? '']))
}

/** Prints a single output as it is, and several each under its name. */
export function printOutputs(
  { out }: Pick<Cli, 'out'>,
  outputs: Run['outputs'],
  saved: SavedOutputs = new Map(),
) {
  const entries = Object.entries(outputs ?? {})
  for (const [name, value] of entries) {
    if (entries.length > 1) out.line(out.paint('bold', `${word(name)}:`))
    out.line(prose(showValue(value, saved), out).replace(/\n+$/, ''))
  }
}

function showValue(value: unknown, saved: SavedOutputs): string {
  if (typeof value === 'string') return value
  if (isMedia(value)) return saved.get(value) ?? `${value.mimeType} ${value.url}`
  if (Array.isArray(value) && value.length > 0 && value.every(isMedia)) {
    return value.map((one) => showValue(one, saved)).join('\n')
  }
  return JSON.stringify(value, null, 2) ?? ''
}
