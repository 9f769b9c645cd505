import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Client } from '#client/client.ts'
import { isRecord } from '#core/record.ts'
import type { Args, Cli } from '../command.ts'
import { usageFailure } from '../terminal/failure.ts'
import { readAll } from './ask.ts'

type Inputs = Record<string, unknown>
type InputSchema = { type?: unknown; contentMediaType?: unknown }

/** Reads `--inputs`, then overrides single inputs by `--input`, typed as the workflow declares. */
export async function readInputs(
  cli: Pick<Cli, 'stdin' | 'signal'>,
  args: Args,
  { client, workflowId }: { client: Client; workflowId: number },
): Promise<Inputs> {
  const source = args.text('inputs')
  const inputs = source === undefined ? {} : await readObject(cli, source)
  const given = args.list('input')
  if (given.length === 0) return inputs
  const { inputSchema } = await client.workflows.schema(workflowId, { signal: cli.signal })
  const declared = (inputSchema.properties ?? {}) as Record<string, InputSchema>
  for (const pair of given) {
    const equals = pair.indexOf('=')
    if (equals < 1) throw usageFailure(`--input accepts NAME=VALUE, not "${pair}".`)
    const name = pair.slice(0, equals)
    const schema = declared[name]
    if (!schema) {
      const names = Object.keys(declared).join(', ') || 'none'
      throw usageFailure(`The workflow has no input "${name}". Its inputs: ${names}.`)
    }
    inputs[name] = await readValue(name, pair.slice(equals + 1), schema)
  }
  return inputs
}

async function readValue(name: string, text: string, schema: InputSchema): Promise<unknown> {
  const isMedia = typeof schema.contentMediaType === 'string'
  if (text.startsWith('@')) {
    const path = text.slice(1)
    const bytes = await readBytes(path)
    if (isMedia) return `data:${mimeTypeOf(path)};base64,${bytes.toString('base64')}`
    return toType(name, bytes.toString('utf8'), schema)
  }
  return toType(name, text, schema)
}

/** Text is used as it is; every other type is parsed as JSON. */
function toType(name: string, text: string, { type }: InputSchema): unknown {
  if (type === 'string') return text
  try {
    return JSON.parse(text)
  } catch {
    const isOpen = type === undefined || (Array.isArray(type) && type.includes('string'))
    // A schema without a type also accepts text.
    if (isOpen) return text
    throw usageFailure(`Input "${name}" accepts ${type}, not "${text.slice(0, 60)}".`)
  }
}

const mimeTypes: Record<string, string> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
  '.mov': 'video/quicktime',
}

function mimeTypeOf(path: string): string {
  const known = mimeTypes[extname(path).toLowerCase()]
  if (!known) throw usageFailure(`${path} does not have the extension of a picture or video.`)
  return known
}

export async function readObject(cli: Pick<Cli, 'stdin'>, source: string): Promise<Inputs> {
  const text =
    source === '-' ? await readAll(cli.stdin, 'JSON') : (await readBytes(source)).toString('utf8')
  const where = source === '-' ? 'standard input' : source
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw usageFailure(`${where} is not JSON: ${(error as Error).message}.`)
  }
  if (!isRecord(value)) throw usageFailure(`${where} must hold a JSON object.`)
  return value as Inputs
}

const readBytes = (path: string): Promise<Buffer> =>
  readFile(path).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'there is no such file' : error.message
    throw usageFailure(`${path} cannot be read: ${why}.`)
  })

/** `--reuse` and `--only`, as a run and its estimate take them. */
export function readPart(args: Args): { reuse?: 'exact'; targets?: string[] } {
  const targets = args.list('only')
  return {
    ...(args.flag('reuse') ? { reuse: 'exact' } : {}),
    ...(targets.length > 0 ? { targets: [...targets] } : {}),
  }
}
