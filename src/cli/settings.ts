import { existsSync, readFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Environment } from '#config'
import { CliFailure, exits, usageFailure } from './terminal/failure.ts'

export type Settings = {
  /** Without a trailing slash. */
  url: string
  isLoopback: boolean
  apiKey: string | null
  /** Where a server on this machine keeps its data, as far as this shell knows. */
  dataDir: string
  email: string | null
  password: string | null
}

const projectRoot = fileURLToPath(new URL('../..', import.meta.url))
/** A clone keeps its data beside its code. The folder of an installed package belongs to npm. */
const homeFolder = projectRoot.split(sep).includes('node_modules') ? '.' : projectRoot

/** The only function that reads the command line's own environment variables. */
export function readSettings(env: Environment): Settings {
  const url = readUrl(env.ATELIER_URL)
  return {
    url,
    isLoopback: isLoopback(new URL(url).hostname),
    apiKey: env.ATELIER_API_KEY?.trim() || null,
    // In a clone, the folder that `npm start` uses, whatever the current directory is.
    dataDir: resolve(env.DATA_DIR || join(homeFolder, 'data')),
    email: env.ATELIER_EMAIL || null,
    password: env.ATELIER_PASSWORD || null,
  }
}

/** Whether colours and a live display may be used on a terminal. */
export const wantsStyle = (env: Environment): boolean => !env.NO_COLOR && env.TERM !== 'dumb'

function readUrl(given: string | undefined): string {
  const url = given?.trim() || 'http://127.0.0.1:8787'
  const parsed = URL.parse(url)
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.search || parsed.hash) {
    throw usageFailure('ATELIER_URL must be an http:// or https:// address.')
  }
  // URLs end up in messages and logs, so they must not contain a secret.
  if (parsed.username || parsed.password) {
    throw usageFailure('ATELIER_URL must not carry a user name: the key goes into ATELIER_API_KEY.')
  }
  return url.replace(/\/+$/, '')
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)

export type FoundKey = { key: string; from: string }

/** The key of a local server is never sent to another machine. */
export function findKey({ apiKey, isLoopback, dataDir }: Settings): FoundKey | null {
  if (apiKey !== null) return { key: apiKey, from: 'ATELIER_API_KEY' }
  const path = join(dataDir, 'owner.key')
  if (!isLoopback || !existsSync(path)) return null
  try {
    return { key: readFileSync(path, 'utf8').trim(), from: path }
  } catch {
    return null
  }
}

export function requireKey(settings: Settings): string {
  const found = findKey(settings)
  if (!found) {
    throw new CliFailure('There is no API key to use.', {
      exitCode: exits.unauthorised,
      code: 'NO_API_KEY',
      hint: settings.isLoopback
        ? `Set ATELIER_API_KEY. For a server on this machine the key is found automatically once the server has started: it is in ${join(settings.dataDir, 'owner.key')} (set DATA_DIR if it is elsewhere).`
        : 'Set ATELIER_API_KEY to a key of this server. Create one in the server\'s console or with "atelier keys create".',
    })
  }
  // The key becomes a header, and the error that fetch throws for a line break would show the key.
  if (!/^[\x21-\x7e]+$/.test(found.key)) {
    throw new CliFailure(`The API key in ${found.from} is not one word of printable characters.`, {
      exitCode: exits.unauthorised,
      code: 'BAD_API_KEY',
    })
  }
  return found.key
}
